/** @module-tag slow */
import { realpath, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { withOldNode } from "./other-node.ts";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

const TIMEOUT_MS = 60_000;

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

describe.each([
  ["ava", () => undefined],
  ["ava by an old Node", withOldNode],
])("%s", { timeout: TIMEOUT_MS }, (_, prepare) => {
  prepare();
  const withAva = async (files: Record<string, string>) => {
    const dir = await project({
      "package.json": JSON.stringify({ type: "module", devDependencies: { ava: "7" } }),
      "node_modules/.bin/.keep": "",
      ...files,
    });
    await symlink(
      await realpath(join(import.meta.dirname, "../node_modules/ava")),
      join(dir, "node_modules/ava"),
    );
    await symlink("../ava/entrypoints/cli.mjs", join(dir, "node_modules/.bin/ava"));
    return dir;
  };

  test("names tests by file, and prints what it always prints", async () => {
    const dir = await withAva({
      "test/a.js": `import test from "ava";
        test("adds", (t) => { t.is(1 + 1, 2); });
        test("is two", (t) => { t.is(1, 2); });
        test.skip("later", (t) => { t.pass(); });
        test.failing("known", (t) => { t.fail(); });`,
    });
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({
      command: "ava",
      passed: false,
      counts: { total: 4, passed: 2, failed: 1, skipped: 1 },
    });
    const failed = result.tests.find(({ status }) => status === "failed");
    expect(failed).toMatchObject({ suite: "test/a.js", test_name: "is two" });
    expect(result.output_tail).toMatch(/Difference.*\n[\s\S]*1 test failed/);
  });

  test("does not pass where a file breaks beside tests that pass", async () => {
    const good = 'import test from "ava"; test("adds", (t) => { t.pass(); });';
    const all = await detectAndRun(await withAva({ "test/a.js": good, "test/b.js": good }));
    expect(all).toMatchObject({ passed: true, counts: { total: 2, passed: 2 } });
    const dir = await withAva({ "test/a.js": good, "test/b.js": 'throw new Error("at load");' });
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, exit_code: 1 });
    expect(result.tests.map((one) => [one.suite, one.status])).toContainEqual([
      "test/b.js",
      "failed",
    ]);
    const stray = good.replace("t.pass();", 't.pass(); void Promise.reject(new Error("stray"));');
    expect(await detectAndRun(await withAva({ "test/a.js": stray }))).toMatchObject({
      passed: false,
    });
  });
});

describe("mocha", { timeout: TIMEOUT_MS }, () => {
  const require = createRequire(import.meta.url);
  const withMocha = async (files: Record<string, string>) => {
    const dir = await project({ "node_modules/.keep": "", ...files });
    await symlink(dirname(require.resolve("mocha/package.json")), join(dir, "node_modules/mocha"));
    return dir;
  };
  const COMMAND = "node node_modules/mocha/bin/mocha.js";

  test("names tests by file and groups, and prints them", async () => {
    const dir = await withMocha({
      "test/a.js": `
        const assert = require("node:assert");
        describe("bill", () => {
          it("adds", () => { console.log("ok 1 - no result\\n1..1"); });
          it("rounds", () => assert.equal(1, 2));
          it.skip("ships", () => {});
        });`,
      "test/b.js": `describe("cart", () => {
        before(() => { throw new Error("no database"); });
        it("holds", () => {});
      });`,
    });
    const result = await detectAndRun(dir, COMMAND);
    expect(result).toMatchObject({ passed: false, report: "event-lines" });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
    expect(result.tests.map((one) => [one.suite, one.test_name, one.status])).toEqual([
      ["test/a.js", "bill > rounds", "failed"],
      ["test/b.js", 'cart > "before all" hook for "holds"', "failed"],
      ["test/a.js", "bill > adds", "passed"],
      ["test/a.js", "bill > ships", "skipped"],
    ]);
    expect(result.output_tail).toContain("no database");
  });

  test("passes, and not when its process is ended by a test", async () => {
    const dir = await withMocha({
      "test/a.mjs":
        'describe("bill", () => { it("adds", () => {}); it.skip("ships", () => {}); });',
    });
    expect(await detectAndRun(dir, COMMAND)).toMatchObject({
      passed: true,
      counts: { total: 2, passed: 1, skipped: 1 },
      tests: [{ suite: "test/a.mjs", test_name: "bill > adds" }, { status: "skipped" }],
    });
    const quitting = await withMocha({ "test/a.js": 'it("quits", () => process.exit(0));' });
    const result = await detectAndRun(quitting, COMMAND);
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.reason).toContain("cut off");
  });

  const GREEN = { "test/a.js": 'describe("bill", () => { it("adds", () => {}); });' };
  test.each([
    ["by an argument", `${COMMAND} --reporter dot`, {}, /^ {2}\.$/m],
    ["by its configuration", COMMAND, { ".mocharc.json": '{"reporter":"json"}' }, /"stats"/],
    [
      "of its own",
      `${COMMAND} -R ./own.cjs`,
      {
        "own.cjs":
          "module.exports = function (runner) { runner.on('end', () => console.log('The end.')); };",
      },
      /^The end\.$/m,
    ],
    ["with a flag of Node", `${COMMAND} --stack-trace-limit=5`, {}, /✔ adds/],
    ["in several processes", `${COMMAND} --parallel`, {}, /✔ adds/],
    [
      "started by a program",
      "node run.cjs",
      {
        "run.cjs":
          'const Mocha = require("mocha");\nnew Mocha().addFile("test/a.js").run((failures) => process.exit(failures));',
      },
      /✔ adds/,
    ],
  ] as [string, string, Record<string, string>, RegExp][])(
    "prints by the reporter that the project chose: %s",
    async (_, command, files, printed) => {
      const result = await detectAndRun(await withMocha({ ...GREEN, ...files }), command);
      expect(result).toMatchObject({ passed: true, report: "event-lines", counts: { total: 1 } });
      expect(result.tests.map((one) => [one.suite, one.test_name])).toEqual([
        ["test/a.js", "bill > adds"],
      ]);
      expect(result.output_tail).toMatch(printed);
    },
  );
});
