import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stampsOf, touchedSince } from "../src/touched.ts";
import { write } from "./write.ts";

describe("files that were touched", () => {
  async function folder() {
    const root = await mkdtemp(join(tmpdir(), "touched-"));
    onTestFinished(() => rm(root, { recursive: true }));
    await write(root, { "test/golden/a.txt": "a", "test/b.js": "b" });
    return { root, before: await stampsOf(root) };
  }
  const cases: [string, (root: string) => Promise<unknown>, string[]][] = [
    ["nothing", async () => {}, []],
    ["the same text again", (root) => writeFile(join(root, "test/b.js"), "b"), ["test/b.js"]],
    ["a new file beside them", (root) => writeFile(join(root, "test/c.js"), "c"), []],
    [
      "a new folder beside them, for a while",
      async (root) => {
        await mkdir(join(root, "test/temporary"));
        await rm(join(root, "test/temporary"), { recursive: true });
      },
      [],
    ],
    ["a file that is gone", (root) => rm(join(root, "test/b.js")), ["test/b.js"]],
    [
      "a folder that was elsewhere for a while",
      async (root) => {
        await rename(join(root, "test/golden"), join(root, "test/old"));
        await rename(join(root, "test/old"), join(root, "test/golden"));
      },
      ["test/golden/a.txt"],
    ],
  ];
  test.each(cases)("%s", async (_, change, touched) => {
    const { root, before } = await folder();
    await change(root);
    expect(touchedSince(before, await stampsOf(root))).toEqual(touched);
  });
});
