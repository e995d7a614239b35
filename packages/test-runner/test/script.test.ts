/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

const require = createRequire(import.meta.url);
const VITEST = 'import { expect, test } from "vitest";\n';
const NODE = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';

async function run(
  test: string,
  files: Record<string, string>,
  scripts: Record<string, string> = {},
) {
  const dir = await project({
    "package.json": JSON.stringify({ type: "module", scripts: { test, ...scripts } }),
    "vitest.config.mjs": 'export default { test: { include: ["web/*.test.js"] } };',
    "node_modules/.bin/.keep": "",
    ...files,
  });
  for (const name of ["vitest", "mocha"]) {
    const folder = dirname(require.resolve(`${name}/package.json`));
    await symlink(folder, join(dir, "node_modules", name));
  }
  return detectAndRun(dir);
}
const named = (tests: readonly { suite: string; test_name: string; status: string }[]) =>
  tests.map((one) => `${one.suite} > ${one.test_name}: ${one.status}`).sort();

const vitest = "node node_modules/vitest/vitest.mjs run";
const mocha = "node node_modules/mocha/bin/mocha.js spec";

test("every runner of a script is asked for its report, between other commands and in other scripts", {
  timeout: 60_000,
}, async () => {
  const result = await run(
    `node lint.js && npm run unit; node --test 'core/*.test.js' && ${mocha}`,
    {
      "lint.js": "console.log('fine');",
      "web/a.test.js": `${VITEST}test("adds", () => expect(1 + 1).toBe(2));`,
      "core/b.test.js": `${NODE}test("halves", () => assert.equal(4 / 2, 2));`,
      "spec/c.cjs": 'describe("cart", () => { it("is empty", () => {}); });',
    },
    { unit: vitest },
  );
  expect(result).toMatchObject({ command: "npm test", passed: true, exit_code: 0 });
  expect(named(result.tests)).toEqual([
    "core/b.test.js > halves: passed",
    "spec/c.cjs > cart > is empty: passed",
    "web/a.test.js > adds: passed",
  ]);
  expect(result.output_tail).toContain("1 passed");
});

test("a failed test is named, and a failed command beside tests that pass is no test", {
  timeout: 60_000,
}, async () => {
  const good = { "web/a.test.js": `${VITEST}test("adds", () => expect(1 + 1).toBe(2));` };
  const bad = { "web/a.test.js": `${VITEST}test("adds", () => expect(1 + 1).toBe(3));` };
  const script = `${vitest}; status=$?; node lint.js && exit $status`;
  const failed = await run(script, { ...bad, "lint.js": "" });
  expect(failed).toMatchObject({ passed: false, counts: { total: 1, failed: 1 } });
  const linted = await run(script, { ...good, "lint.js": "process.exit(3)" });
  expect(linted).toMatchObject({ passed: false, counts: { total: 1, passed: 1 } });
  expect(linted.reason).toContain("no failed test, but the command exited with 3");
});

test("what a test starts itself is not among the tests", { timeout: 60_000 }, async () => {
  const inner = `${NODE}test("inner", () => assert.fail());`;
  const outer = `${VITEST}import { spawnSync } from "node:child_process";
test("outer", () => expect(spawnSync("node", ["--test", "inner/*.test.js"]).status).toBe(1));`;
  const result = await run(`true && ${vitest} && true`, {
    "web/a.test.js": outer,
    "inner/b.test.js": inner,
  });
  expect(named(result.tests)).toEqual(["web/a.test.js > outer: passed"]);
});

test("a run that ends while its files are loaded has not passed", {
  timeout: 60_000,
}, async () => {
  const files = { "spec/c.cjs": 'it("is empty", () => {});', "spec/d.cjs": "process.exit(0);" };
  const result = await run(`true && ${mocha} && true`, files);
  expect(result).toMatchObject({ passed: false, exit_code: 0 });
  expect(result.reason).toContain("cut off");
});

test("without a known runner the exit code and what is printed decide", async () => {
  expect(await run("node ok.js", { "ok.js": "" })).toMatchObject({ passed: true, report: null });
  const tap = "console.log('TAP version 13\\n1..1\\nok 1 - adds');";
  const printed = await run("node tap.js", { "tap.js": tap });
  expect(printed).toMatchObject({ passed: true, report: "tap", counts: { total: 1 } });
});

test("a script that names a reporter of Node keeps it", { timeout: 60_000 }, async () => {
  const result = await run("true && node --test --test-reporter=tap 'core/*.test.js'", {
    "core/b.test.js": `${NODE}test("halves", () => assert.equal(4 / 2, 2));`,
  });
  expect(result).toMatchObject({ passed: true, report: "tap", counts: { total: 1 } });
});

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;

test.runIf(hasPytest)(
  "pytest is asked too, and not one that a test starts",
  {
    timeout: 60_000,
  },
  async () => {
    const dir = await project({
      Makefile: "test:\n\t@python3 -m pytest -q --continue-on-collection-errors\n",
      "tests/test_cart.py": `import subprocess, sys
import pytest

class TestCart:
    @pytest.mark.parametrize("price", [1, 2])
    def test_price(self, price):
        assert price == 1

def test_inner(tmp_path):
    (tmp_path / "test_inner.py").write_text("def test_no(): assert False")
    assert subprocess.run([sys.executable, "-m", "pytest", str(tmp_path)]).returncode == 1

@pytest.mark.skip
def test_skipped(): pass

@pytest.fixture
def broken(): raise ValueError("no")

def test_broken(broken): pass
`,
      "tests/test_unloaded.py": "import missing_module",
    });
    const result = await detectAndRun(dir, "make test");
    expect(result).toMatchObject({ passed: false, counts: { total: 6, passed: 2, failed: 3 } });
    expect(named(result.tests)).toEqual([
      "tests/test_cart.py > TestCart > test_price[1]: passed",
      "tests/test_cart.py > TestCart > test_price[2]: failed",
      "tests/test_cart.py > test_broken: failed",
      "tests/test_cart.py > test_inner: passed",
      "tests/test_cart.py > test_skipped: skipped",
      "tests/test_unloaded.py > (file): failed",
    ]);
  },
);

describe.runIf(hasPytest)(
  "a pytest that a test of another runner starts",
  { timeout: 60_000 },
  () => {
    const inner = { "inner/test_inner.py": "def test_no(): assert False\n" };

    test("is asked for nothing by unittest", async () => {
      const outer = `import subprocess, sys, unittest

class Outer(unittest.TestCase):
    def test_it(self):
        self.assertEqual(subprocess.run([sys.executable, "-m", "pytest", "inner"]).returncode, 1)
`;
      const dir = await project({ ...inner, "tests/test_outer.py": outer });
      const result = await detectAndRun(dir, "python3 -m unittest discover tests");
      expect(named(result.tests)).toEqual(["test_outer.Outer > test_it: passed"]);
    });

    test.runIf(works("ruby", "-e", 'require "minitest"'))(
      "is asked for nothing by Ruby",
      async () => {
        const outer = `require "minitest/autorun"
class OuterTest < Minitest::Test
  def test_it
    refute system("python3", "-m", "pytest", "inner")
  end
end
`;
        const dir = await project({ ...inner, "test/outer_test.rb": outer });
        const result = await detectAndRun(dir, "ruby test/outer_test.rb");
        expect(named(result.tests)).toEqual(["test/outer_test.rb > OuterTest > test_it: passed"]);
      },
    );
  },
);

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.runIf(hasPython)("unittest", { timeout: 120_000 }, () => {
  const suite = (name: string, body: string) =>
    `import os, subprocess, sys, unittest\n\nclass ${name}(unittest.TestCase):\n    def test_it(self):\n        ${body}\n`;
  const good = suite("Bill", "self.assertEqual(1 + 1, 2)");

  test("is asked behind make and by a program of the project's, and not one that a test starts", async () => {
    const bad = `${suite("Cart", "self.assertEqual(4 / 2, 3)")}
    def test_outer(self):
        self.assertEqual(subprocess.run([sys.executable, "-m", "unittest", "inner"]).returncode, 1)

    def test_runner(self):
        unittest.TextTestRunner().run(unittest.FunctionTestCase(lambda: 1 / 0))
`;
    const files = {
      Makefile: "test:\n\tpython3 -m unittest discover -s tests; python3 run.py\n",
      "run.py":
        "import sys, unittest\nsuite = unittest.defaultTestLoader.discover('more')\nsys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())\n",
      "sitecustomize.py": "import os\nos.environ['SHOP'] = 'open'\n",
      "tests/test_bill.py": suite("Bill", "self.assertEqual(os.environ['SHOP'], 'open')"),
      "tests/test_broken.py": "import nowhere\n",
      "more/test_cart.py": bad,
      "inner.py": suite("Inner", "self.fail()"),
    };
    const command = "PYTHONPATH=$PYTHONPATH:. make test";
    const result = await detectAndRun(await project(files), command);
    expect(result).toMatchObject({ passed: false, report: "event-lines" });
    expect(named(result.tests)).toEqual([
      "test_bill.Bill > test_it: passed",
      "test_broken > (file): failed",
      "test_cart.Cart > test_it: failed",
      "test_cart.Cart > test_outer: passed",
      "test_cart.Cart > test_runner: passed",
    ]);
    const passing = {
      "tests/test_bill.py": good,
      Makefile: "test:\n\tpython3 -m unittest discover tests\n",
    };
    expect(await detectAndRun(await project(passing), "make test")).toMatchObject({
      passed: true,
      counts: { total: 1, passed: 1 },
    });
  });

  test("does not pass where the process ends before its tests", async () => {
    for (const text of [
      suite("Bill", "os._exit(0)"),
      suite("Bill", "print('Ran 1 test in 0.0s\\n\\nOK'); os._exit(0)"),
      suite("Bill", "sys.exit(0)"),
      `${good}\nos._exit(0)\n`,
      suite("Bill", "self.skipTest('later')"),
      "",
    ]) {
      const command = "python3 -m unittest discover tests";
      const behind = text.includes("_exit") ? [`true && ${command} || exit 1`] : [];
      for (const given of [command, ...behind]) {
        const result = await detectAndRun(await project({ "tests/test_bill.py": text }), given);
        expect(result.passed, `${given}: ${text}: ${result.reason}`).toBe(false);
      }
    }
  });
});
