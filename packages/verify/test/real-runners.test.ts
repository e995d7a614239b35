import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Verification } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { verifier } from "../src/index.ts";
import { project } from "./project.ts";

const TIMEOUT_MS = 60_000;

async function detectAndRun(dir: string, given?: string): Promise<Verification> {
  const subject = verifier();
  const plan = await subject.detect(dir, given);
  if (!plan) throw new Error("Nothing was detected.");
  const { signal } = new AbortController();
  return subject.verify(plan, { cwd: dir, signal, timeoutMs: TIMEOUT_MS });
}

describe("node --test", { timeout: TIMEOUT_MS }, () => {
  const tests = `
    import test, { describe, it } from "node:test";
    import assert from "node:assert";
    describe("bill", () => {
      it("adds", () => assert.equal(1 + 1, 2));
      it("ships", { skip: true }, () => {});
    });
  `;
  const failing = `
    import test from "node:test";
    import assert from "node:assert";
    test("outer", async (t) => { await t.test("inner", () => assert.equal(1, 2)); });
  `;

  test("passes, by a package script", async () => {
    const result = await detectAndRun(
      await project({
        "package.json": '{"scripts":{"test":"node --test"}}',
        "bill.test.mjs": tests,
      }),
    );
    expect(result).toMatchObject({
      command: "npm test",
      passed: true,
      report: "node-events",
      counts: { total: 2, passed: 1, failed: 0, skipped: 1 },
    });
    expect(result.tests[0]).toMatchObject({ test_name: "bill > adds", suite: "bill.test.mjs" });
    expect(result.output_tail).toContain("adds");
  });

  test("fails with the message of the assertion", async () => {
    const result = await detectAndRun(
      await project({ "a.test.mjs": tests, "b.test.mjs": failing }),
    );
    expect(result).toMatchObject({ command: "node --test", passed: false, exit_code: 1 });
    expect(result.reason).toBe("2 of 4 tests failed: outer > inner; outer.");
    expect(result.tests[0]?.error_message).toContain("1 == 2");
    expect(result.tests[0]?.stack_trace).toContain("b.test.mjs:4");
  });

  test("adds up the runs of one script", async () => {
    const dir = await project({ "a/a.test.mjs": tests, "b/b.test.mjs": tests });
    const script = "node --test a/*.mjs && node --test b/*.mjs";
    const result = await detectAndRun(dir, script);
    expect(result).toMatchObject({ passed: true, counts: { total: 4, passed: 2 } });
  });

  test("does not take the runs of a test for its own", async () => {
    const nested = `
      import test from "node:test";
      import assert from "node:assert";
      import { spawnSync } from "node:child_process";
      test("a failing run fails", () => {
        const { NODE_TEST_CONTEXT, ...env } = process.env;
        const { status } = spawnSync(process.execPath, ["--test", "inner/bad.mjs"], { env });
        assert.equal(status, 1);
      });
    `;
    const dir = await project({ "outer.test.mjs": nested, "inner/bad.mjs": failing });
    const result = await detectAndRun(dir, "node --test outer.test.mjs");
    expect(result).toMatchObject({ passed: true, counts: { total: 1, passed: 1 } });
  });

  test("fails when there is no test", async () => {
    const dir = await project({ "src/a.mjs": "" });
    const result = await detectAndRun(dir, "node --test none/*.mjs");
    expect(result.passed).toBe(false);
  });

  test("fails when the runner is ended from inside", async () => {
    const quitting = `import test from "node:test";
      test("one", () => {}); test("two", () => { process.exit(0); });`;
    const dir = await project({ "a.test.mjs": quitting });
    const result = await detectAndRun(dir, "node --test --test-isolation=none a.test.mjs");
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.reason).toMatch(/cut off|report is missing/);
  });
});

describe("vitest", { timeout: TIMEOUT_MS }, () => {
  const require = createRequire(import.meta.url);
  const vitestFolder = dirname(require.resolve("vitest/package.json"));
  const withVitest = async (files: Record<string, string>) => {
    const dir = await project({
      "package.json": JSON.stringify({
        type: "module",
        scripts: { test: "node runner/vitest.mjs run" },
      }),
      "vitest.config.mjs": "export default {};",
      "node_modules/.keep": "",
      ...files,
    });
    await symlink(vitestFolder, join(dir, "node_modules/vitest"));
    await symlink(vitestFolder, join(dir, "runner"));
    return dir;
  };
  const good = 'import { test } from "vitest"; test("adds", () => {});';

  test("passes, by a package script, whose output stays as it is", async () => {
    const result = await detectAndRun(await withVitest({ "a.test.js": good }));
    expect(result).toMatchObject({
      command: "npm test",
      passed: true,
      report: "jest-json",
      counts: { total: 1, passed: 1 },
    });
    expect(result.output_tail).toContain("1 passed");
  });

  test("fails on a test, and on a file that cannot be loaded", async () => {
    const bad =
      'import { expect, test } from "vitest"; test("is two", () => { expect(1).toBe(2); });';
    const dir = await withVitest({ "a.test.js": bad, "b.test.js": 'throw new Error("at load");' });
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, counts: { total: 2, failed: 2 } });
    expect(result.tests.map((one) => [one.suite, one.test_name]).sort()).toEqual([
      ["a.test.js", "is two"],
      ["b.test.js", "(file)"],
    ]);
    expect(result.tests.map((one) => one.error_message).join()).toContain("at load");
  });

  test("does not pass on tests that pass while something else broke", async () => {
    const stray =
      'import { test } from "vitest"; test("fine", () => { void Promise.reject(new Error("stray")); });';
    const result = await detectAndRun(await withVitest({ "a.test.js": stray }));
    expect(result).toMatchObject({ passed: false, exit_code: 1, counts: { total: 1, passed: 1 } });
    expect(result.reason).toContain("no failed test, but the command exited with 1");
  });

  test("does not pass where it finds no test but is content with that", async () => {
    const dir = await withVitest({});
    const result = await detectAndRun(dir, "node runner/vitest.mjs run --passWithNoTests");
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.reason).toContain("No test ran");
  });
});

test("Python's unittest is judged by its exit code", { timeout: TIMEOUT_MS }, async ({ skip }) => {
  const dir = await project({
    "test_a.py":
      "import unittest\nclass A(unittest.TestCase):\n  def test_a(self): self.assertEqual(1, 2)\n",
  });
  const python = await detectAndRun(dir, "python3 --version").catch(() => null);
  if (!python?.passed) skip("There is no python3 on this machine.");
  const result = await detectAndRun(dir, "python3 -m unittest");
  expect(result).toMatchObject({ passed: false, exit_code: 1, report: null });
  expect(result.output_tail).toContain("AssertionError");
});
