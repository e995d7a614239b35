import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Objection } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { commitAll, type Project, plan, stateOf } from "./support/project.ts";
import { repairs, TEST_FILE, testedProject } from "./support/tested-project.ts";

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { three } from "dep";
import { sum } from "../src/sum.js";

test("adds two numbers", () => {
  assert.equal(sum(1, 2), three);
});
`;

/** Repairs the source, and changes an installed package. */
const patches = {
  ...repairs,
  steps: [...repairs.steps, { run: "echo '// Read.' >> node_modules/dep/index.js" }],
};

/** A tested project with a package that was installed from a folder of its own, with or without a lockfile. */
async function withPackage(lockfile: boolean): Promise<Project> {
  const here = await testedProject(plan, patches);
  const files = {
    ".gitignore": "node_modules\n.workflow\n",
    ".npmrc": `install-links=true\npackage-lock=${lockfile}\n`,
    "vendor/dep/package.json": JSON.stringify({ name: "dep", version: "1.0.0", type: "module" }),
    "vendor/dep/index.js": "export const three = 3;\n",
    [TEST_FILE]: TESTS,
  };
  await mkdir(join(here.dir, "vendor/dep"), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(here.dir, path), text);
  const place = join(here.dir, "package.json");
  const json = JSON.parse(await readFile(place, "utf8"));
  await writeFile(place, JSON.stringify({ ...json, dependencies: { dep: "file:vendor/dep" } }));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: here.dir });
  await commitAll(here);
  return here;
}

const run = (here: Project) =>
  here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "Repair sum");

describe("a package that was changed after the start", () => {
  test("is installed anew for the proof, as the lockfile says", async () => {
    await using here = await withPackage(true);
    const { code, out, err } = await run(here);
    expect(code, `${out}\n${err}`).toBe(0);
    expect((await stateOf(here, "a")).receipts?.at(-1)?.square?.cells.verdict).toMatchObject({
      where: "clean_room",
      counts: { passed: 1, failed: 0 },
    });
  });

  test("is named where no lockfile says what it was", async () => {
    await using here = await withPackage(false);
    const { code, out } = await run(here);
    expect(code, out).toBe(4);
    const objections: Objection[] = (await stateOf(here, "a")).receipts?.at(-1)?.objections ?? [];
    expect(objections.map(({ kind }) => kind).sort()).toEqual(["packages", "verdict"]);
    expect(objections.find(({ kind }) => kind === "packages")?.message).toContain(
      "no lockfile says how to install them anew, so the clean room is without them: node_modules/dep/index.js.",
    );
  });
});
