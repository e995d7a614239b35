import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BUILT, SOURCE_BIN } from "./support/bin.ts";
import { documentIn } from "./support/documents.ts";

/** A folder for one test, with everything that a process of it writes anywhere. */
async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "ccw-demo-test-"));
  return {
    folder,
    run: (launcher: string, ...args: string[]) => {
      const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
      return promisify(execFile)(process.execPath, [launcher, ...args], { env, cwd: folder });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test.concurrent("the demo shows a whole loop, and says what is real in it", async () => {
  await using place = await temporary();
  const { stdout, stderr } = await place.run(SOURCE_BIN, "demo");
  expect(stderr).toContain("The agent is SCRIPTED");
  const order = [
    /INIT started/,
    /DEVELOP started/,
    /VALIDATE failed: .*npm test/,
    /DEBUG started/,
    /VALIDATE passed: .*npm test/,
    /COMPLETE started/,
  ];
  const places = order.map((fact) => stderr.search(fact));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(stdout).toMatch(/^Completed and proven: Fix the shopping cart\n/);
  for (const part of [
    "5 passed, 0 failed",
    "receipt ",
    "src/cart.js",
    "demo.json",
    "demo.progress/summary.md",
    "codex login",
    `node ${SOURCE_BIN} run --auto "`,
  ]) {
    expect(stdout).toContain(part);
  }
});

test.concurrent("the built command line does the same without any node_modules", async () => {
  await using place = await temporary();
  const copy = join(place.folder, "cli");
  await cp(BUILT, copy, { recursive: true });
  const { stdout } = await place.run(join(copy, "bin/ccw-loop.js"), "demo", "--json");
  const data = documentIn("demo", stdout);
  expect(data).toMatchObject({
    status: "completed",
    receipt: { passed: true, counts: { total: 5, passed: 5 } },
  });
  expect(data.files_changed).toEqual(["src/cart.js"]);
  expect(data.loop_files).toContain("demo.journal.jsonl");
  expect((await stat(data.project)).isDirectory()).toBe(true);
});
