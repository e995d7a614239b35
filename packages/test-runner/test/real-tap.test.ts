/** @module-tag slow */
import { existsSync, realpathSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { withOldNode } from "./other-node.ts";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

/** Runners of JavaScript that print TAP or know one output only: tape, uvu, node-tap; and wrappers of `node --test`. */
const TIMEOUT_MS = 60_000;
const MODULES = join(import.meta.dirname, "../node_modules");
/** A folder of another package manager's: `tap18/node_modules` and so on, which are too large to be installed here. */
const RUNNERS = process.env.CCW_LOOP_RUNNERS ?? "";

async function withPackages(
  packages: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
  script = "",
) {
  const json = { type: "module", scripts: script ? { test: script } : {}, devDependencies: {} };
  const dir = await project({
    "package.json": JSON.stringify(json),
    "node_modules/.bin/.keep": "",
    ...files,
  });
  for (const [name, folder] of Object.entries(packages)) {
    await symlink(realpathSync(folder), join(dir, "node_modules", name));
  }
  return dir;
}

const named = (tests: readonly { suite: string; test_name: string; status: string }[]) =>
  tests.map((one) => `${one.suite} > ${one.test_name}: ${one.status}`).sort();

const NESTED = `import { spawnSync } from "node:child_process";
const inner = (file) => spawnSync(process.execPath, [file], { stdio: "inherit" });
`;

describe("tape", { timeout: TIMEOUT_MS }, () => {
  const TAPE = "node node_modules/tape/bin/tape";
  const withTape = (files: Record<string, string>, script = `${TAPE} 'test/*.js'`) =>
    withPackages({ tape: join(MODULES, "tape") }, files, script);
  const bill = `import test from "tape";
test("adds", (t) => { t.equal(1 + 1, 2); t.ok(true); t.end(); });
test("halves", (t) => { t.equal(4 / 2, 3, "is three"); t.end(); });
test("ships", { skip: true }, (t) => { t.fail(); t.end(); });
test("cart", (t) => {
  t.test("is empty", async (t) => { t.deepEqual([], []); });
  t.end();
});
`;

  test("names tests, not assertions, in version 1 too", async () => {
    const dir = await withPackages(
      { tape: join(MODULES, "tape-1") },
      {
        "test.cjs": `const test = require("tape");
test("adds", (t) => { t.equal(1, 1); t.equal(1, 2, "is two"); t.end(); });
test("throws", () => { throw new Error("broken"); });
test("ships", { skip: true }, (t) => { t.fail(); t.end(); });
test("cart", (t) => { t.test("is empty", (t) => { t.pass(); t.end(); }); });
`,
      },
      "node test.cjs",
    );
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, report: "event-lines", exit_code: 1 });
    expect(named(result.tests)).toEqual([
      "test.cjs > adds: failed",
      "test.cjs > cart > is empty: passed",
      "test.cjs > ships: skipped",
      "test.cjs > throws: failed",
    ]);
    expect(result.tests.map((one) => one.error_message ?? "").join()).toContain("is two (equal)");
  });

  test("is cut off in version 1 where the process ends before the tests", async () => {
    const dir = await withPackages(
      { tape: join(MODULES, "tape-1") },
      {
        "test.cjs":
          'require("tape")("adds", (t) => { t.pass(); setTimeout(() => process.reallyExit(0), 10); });',
      },
      "node test.cjs",
    );
    expect(await detectAndRun(dir)).toMatchObject({ passed: false });
  });

  test("names tests by file, whatever they print, and prints its TAP", async () => {
    const dir = await withTape(
      {
        "test/a.js": `${bill}console.log("ok 1 forged\\n1..1");`,
        "test/b.cjs": 'require("tape")("loads", (t) => { t.pass(); t.end(); });',
      },
      `${TAPE} test/a.js test/b.cjs`,
    );
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, report: "event-lines", exit_code: 1 });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
    expect(named(result.tests)).toEqual([
      "test/a.js > adds: passed",
      "test/a.js > cart > is empty: passed",
      "test/a.js > halves: failed",
      "test/a.js > ships: skipped",
      "test/b.cjs > loads: passed",
    ]);
    expect(result.tests[0]?.error_message).toContain("is three (equal)\nexpected: 3\nactual: 2");
    expect(result.output_tail).toContain("not ok 3 is three");
  });

  test("is read in several processes, behind other programs and packages", async () => {
    const good = (name: string) =>
      `import test from "tape";\ntest("${name}", (t) => { t.plan(1); t.pass(); });\n`;
    const dir = await withTape(
      { "test/a.js": good("adds"), "test/b.js": good("halves"), "lint.js": "" },
      "node lint.js && node test/a.js | cat && node test/b.js",
    );
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: true, counts: { total: 2, passed: 2 } });
    expect(named(result.tests)).toEqual(["test/a.js > adds: passed", "test/b.js > halves: passed"]);
  });

  test("does not pass where a file breaks, or the process ends before the tests", async () => {
    const good = 'import test from "tape";\ntest("adds", (t) => { t.pass(); t.end(); });\n';
    const broken = await detectAndRun(
      await withTape({ "test/a.js": good, "test/b.js": 'throw new Error("at load");' }),
    );
    expect(broken).toMatchObject({ passed: false });
    expect(broken.output_tail).toContain("at load");
    for (const [end, at] of [
      ["process.exit(0)", "test"],
      ["process.reallyExit(0)", "test"],
      ['console.log("ok 1 adds\\n1..1"); process.reallyExit(0)', "test"],
      ["process.exit(0)", "load"],
    ]) {
      const text =
        at === "load" ? `${good}${end};` : `${good}test("quits", (t) => { ${end}; t.end(); });`;
      const result = await detectAndRun(await withTape({ "test/a.js": text }));
      expect(result.passed, `${end} at ${at}: ${result.reason}`).toBe(false);
    }
  });

  test("counts no run that a test starts", async () => {
    const outer = `import test from "tape";
${NESTED}test("outer", (t) => { t.equal(inner("inner.js").status, 1); t.end(); });`;
    const result = await detectAndRun(
      await withTape({
        "test/a.js": outer,
        "inner.js": 'import test from "tape"; test("inner", (t) => { t.fail(); t.end(); });',
      }),
    );
    expect(named(result.tests)).toEqual(["test/a.js > outer: passed"]);
    expect(result).toMatchObject({ passed: true });
  });
});

describe.each([
  ["uvu", () => undefined],
  ["uvu by an old Node", withOldNode],
])("%s", { timeout: TIMEOUT_MS }, (_, prepare) => {
  prepare();
  const UVU = "node node_modules/uvu/bin.js";
  const withUvu = (files: Record<string, string>, script = `${UVU} test`) =>
    withPackages({ uvu: join(MODULES, "uvu") }, files, script);
  const bill = `import { suite, test } from "uvu";
import * as assert from "uvu/assert";
test("adds", () => assert.is(1 + 1, 2));
test("halves", () => assert.is(4 / 2, 3));
test.skip("ships", () => {});
test.run();
const cart = suite("cart");
cart("is empty", async () => { await null; });
cart.run();
`;
  const outline = [
    "test/a.js > (skipped): skipped",
    "test/a.js > adds: passed",
    "test/a.js > cart > is empty: passed",
    "test/a.js > halves: failed",
  ];

  test("names tests by file and suite, by its program and without it, as ES module and CommonJS", async () => {
    for (const script of [`${UVU} test`, "node test/a.js"]) {
      const result = await detectAndRun(await withUvu({ "test/a.js": bill }, script));
      expect(result).toMatchObject({ passed: false, report: "event-lines", exit_code: 1 });
      expect(named(result.tests)).toEqual(outline);
      expect(result.tests[0]?.error_message).toContain("Expected values to be strictly equal");
      expect(result.output_tail).toContain("Passed:    2");
    }
    const required = bill.replaceAll(
      /import (.*) from (".*");/g,
      (_, what, from) => `const ${what.replace("* as ", "")} = require(${from});`,
    );
    const result = await detectAndRun(
      await withUvu({ "test/a.cjs": required }, `${UVU} -r uvu test`),
    );
    expect(named(result.tests)).toEqual(outline.map((one) => one.replace("a.js", "a.cjs")));
  });

  test("does not pass on hooks that fail, which uvu itself does not see", async () => {
    const text = `import { test } from "uvu";
test.before(() => { throw new Error("no database"); });
test("adds", () => {});
test.run();`;
    const result = await detectAndRun(await withUvu({ "test/a.js": text }));
    expect(result).toMatchObject({ passed: false, exit_code: 0, counts: { failed: 1 } });
  });

  test("does not pass where a file breaks, or the process ends before the tests", async () => {
    const good = 'import { test } from "uvu";\ntest("adds", () => {});\ntest.run();\n';
    expect(await detectAndRun(await withUvu({ "test/a.js": good }))).toMatchObject({
      passed: true,
      counts: { total: 1, passed: 1 },
    });
    for (const text of [
      `${good}throw new Error("at load");`,
      `${good}process.exit(0);`,
      good.replace("{}", "process.exit(0)"),
      good.replace("{}", "process.reallyExit(0)"),
    ]) {
      const result = await detectAndRun(await withUvu({ "test/a.js": text }));
      expect(result.passed, `${text}: ${result.reason}`).toBe(false);
    }
  });

  test("counts no run that a test starts, and reads the failure that ends it", async () => {
    const outer = `import { test } from "uvu";
${NESTED}test("outer", () => { if (inner("inner.js").status !== 1) throw new Error("no"); });
test.run();`;
    const inner =
      'import { test } from "uvu"; test("inner", () => { throw new Error("no"); }); test.run();';
    const result = await detectAndRun(await withUvu({ "test/a.js": outer, "inner.js": inner }));
    expect(named(result.tests)).toEqual(["test/a.js > outer: passed"]);
    const bail = await detectAndRun(await withUvu({ "test/a.js": bill }, `${UVU} -b test`));
    expect(bail.commands[0]?.verdict, bail.reason).toBe("tests_failed");
  });
});

describe("borp, c8 and tsx", { timeout: TIMEOUT_MS }, () => {
  const BORP = join(MODULES, "borp");
  const C8 = join(dirname(realpathSync(BORP)), "c8");
  const files = {
    "test/a.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
test("adds", () => assert.equal(1 + 1, 2));
test("halves", () => assert.equal(4 / 2, 3));
`,
  };
  const outline = ["test/a.test.js > adds: passed", "test/a.test.js > halves: failed"];

  test.each([
    ["borp", "node node_modules/borp/borp.js"],
    ["c8 in front of node --test", "node node_modules/c8/bin/c8.js node --test && true"],
  ])("%s gives the names of the tests", async (_, script) => {
    const dir = await withPackages({ borp: BORP, c8: C8 }, files, script);
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, report: "event-lines" });
    expect(named(result.tests)).toEqual(outline);
  });
});

describe.each(["tap16", "tap18", "tap21"])("%s", { timeout: 120_000 }, (name) => {
  const installed = join(RUNNERS, name, "node_modules");
  const isHere = RUNNERS !== "" && existsSync(join(installed, "tap/package.json"));
  const withTap = async (files: Record<string, string>) => {
    const coverage = name === "tap16" ? "--no-coverage" : "--disable-coverage";
    const json = JSON.stringify({ scripts: { test: `tap ${coverage}` }, name: "shop" });
    const dir = await project({ "package.json": json, ...files });
    await mkdir(join(dir, "node_modules"), { recursive: true });
    for (const one of ["tap", ".bin"]) {
      await symlink(join(installed, one), join(dir, "node_modules", one));
    }
    return detectAndRun(dir, "npm test");
  };
  const good = `const t = require("tap");
t.test("adds", (t) => { t.equal(1 + 1, 2, "is two"); t.end(); });
`;

  test.skipIf(!isHere)(
    "is read by file, test and assertion, and not when it is cut off (needs CCW_LOOP_RUNNERS)",
    async () => {
      expect(await withTap({ "test/a.test.js": good })).toMatchObject({
        passed: true,
        report: "tap",
        tests: [{ suite: "test/a.test.js > adds", test_name: "is two" }],
      });
      const result = await withTap({
        "test/a.test.js": `${good}t.test("halves", (t) => { t.equal(4 / 2, 3, "is three"); t.end(); });`,
        "test/b.test.js": 'throw new Error("at load");',
        "test/c.test.js": `${good}t.test("quits", (t) => { t.pass(); process.exit(0); });`,
      });
      expect(result).toMatchObject({ passed: false, report: "tap" });
      expect(named(result.tests)).toContain("test/a.test.js > halves > is three: failed");
      expect(named(result.tests)).toContain("test/c.test.js > quits > test unfinished: failed");
    },
  );
});
