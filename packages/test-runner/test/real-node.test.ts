import { describe, expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

const TIMEOUT_MS = 60_000;

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
      report: "event-lines",
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
