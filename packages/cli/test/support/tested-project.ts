import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { commitAll, type Project, plan, project } from "./project.ts";

type Turns = Parameters<typeof project>;

const SUM = "export const sum = (a, b) => a - b;\nexport const half = (a) => a;\n";

const SUM_RIGHT = SUM.replace("a - b", "a + b");

/** `adds two numbers` and `halves a number` fail, `is a function` passes. */
export const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { half, sum } from "../src/sum.js";

test("adds two numbers", () => {
  assert.equal(sum(1, 2), 3);
});

test("halves a number", () => {
  assert.equal(half(4), 2);
});

test("is a function", () => {
  assert.equal(typeof sum, "function");
});
`;

export const TEST_FILE = "test/sum.test.js";

/** A turn that writes files. */
export function writes(files: Record<string, string>, message = "Written.") {
  return {
    action: "DEVELOP" as const,
    steps: Object.entries(files).map(([path, content]) => ({ write: { path, content } })),
    answer: { message, state_updates: { summary: "written" } },
  };
}

/** `sum` is right; one test still fails. */
export const repairs = writes({ "src/sum.js": SUM_RIGHT });

export const OTHER_FILE = "test/other.test.js";

/** A test in another file, which knows `half` by this name. */
export const other = (half: string) => `import assert from "node:assert/strict";
import { test } from "node:test";
import * as all from "../src/sum.js";

test("halves to a number", () => {
  assert.equal(typeof all.${half}(4), "number");
});
`;

/** All is right, and `sum` and `half` have other names: the tests as they were cannot follow. */
export const renames = (half: string) =>
  writes({
    "src/sum.js": `export const add = (a, b) => a + b;\nexport const ${half} = (a) => a / 2;\n`,
    [TEST_FILE]: TESTS.replaceAll(/\bsum\b(?!\.)/g, "add").replaceAll(/\bhalf\b/g, half),
    [OTHER_FILE]: other(half),
  });

/** `--agent` alone: the loop finds `npm test` by itself, which starts three processes instead of one. */
export const FINDS_TESTS = ["--agent", "scripted:agent.json"];

/** A repository with one commit and three tests under `node --test`: `adds two numbers` and `halves a number` fail. */
export async function testedProject(...turns: Turns): Promise<Project> {
  const here = await project(...turns);
  for (const folder of ["src", "test"]) await mkdir(join(here.dir, folder));
  await rm(join(here.dir, "check.mjs"));
  const scripts = { test: "node --test" };
  const files = {
    "package.json": JSON.stringify({ type: "module", private: true, scripts }, null, 2),
    "src/sum.js": SUM,
    [TEST_FILE]: TESTS,
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(here.dir, path), text);
  await commitAll(here);
  return { ...here, flags: [...FINDS_TESTS, "--verify", "node --test"] };
}

/** Such a project whose loop `a` waits for its operator to accept what no test has asked for; `read` has its state file. */
export async function waitingProject(): Promise<Project & { read(): string }> {
  const here = await testedProject(plan, writes({ "src/sum.js": `${SUM}//\n` }));
  const flags = ["--auto", ...here.flags, "--known-red", "*", "--loop-id", "a"];
  const { code, out } = await here.cli("run", ...flags, "--create", "Repair sum");
  expect(code, out).toBe(4);
  return { ...here, read: () => readFileSync(join(here.dir, ".workflow/.loop/a.json"), "utf8") };
}
