import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

const hasCargo = works("cargo", "--version");

const NODE = {
  command: "node --test",
  report: "node-test",
  start: {
    "package.json": '{"type":"module"}',
    "src/cart.js": "export const name = () => 'a';\n",
    "test/cart.test.js":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { name } from "../src/cart.js";\ntest("name", () => assert.match(name(), /b/));\n',
  },
};
const PYTHON = {
  "shop/__init__.py": "",
  "shop/cart.py": "def names():\n    return []\n",
  "tests/__init__.py": "",
};
const UNITTEST = {
  command: "python3 -m unittest",
  report: "unittest",
  start: {
    ...PYTHON,
    "tests/test_cart.py":
      "import unittest\nfrom shop.cart import names\n\nclass Cart(unittest.TestCase):\n    def test_names(self):\n        self.assertIn('b', names())\n",
  },
};
const PYTEST = {
  command: "python3 -m pytest",
  report: "pytest",
  start: {
    ...PYTHON,
    "tests/test_cart.py":
      "import pytest\nfrom shop.cart import names\n\ndef test_names():\n    with pytest.raises(ValueError):\n        names()\n",
  },
};

describe.concurrent("tests that have to fail", { timeout: 60_000 }, () => {
  const cases = [
    {
      name: "node:test, an assertion that no falsified test uses",
      ...NODE,
      present: {
        "src/cart.js":
          'import assert from "node:assert";\nassert.match = () => {};\nexport const name = () => "a";\n',
      },
    },
    {
      name: "unittest, an assertion that no falsified test uses",
      ...UNITTEST,
      present: {
        "shop/cart.py":
          "import unittest\nunittest.TestCase.assertIn = lambda *given: None\n\ndef names():\n    return []\n",
      },
    },
    {
      name: "pytest, what it calls itself",
      ...PYTEST,
      present: {
        "shop/cart.py":
          "import contextlib, pytest\npytest.raises = lambda *given: contextlib.nullcontext()\n\ndef names():\n    return []\n",
      },
    },
  ].filter(({ command }) => hasPytest || !command.includes("pytest"));

  const isNoticed = async (about: (typeof cases)[number]) => {
    const { verdict, of } = await checked(about);
    expect(verdict.passed).toBe(true);
    const { result, objections, text } = of("canary");
    expect([result, objections]).toEqual(["failed", ["canary"]]);
    expect(text).toContain("a test of ours with every kind of false assertion");
  };
  const title = "$name: a replaced assertion function is noticed";
  test.each(cases.slice(0, 1))(title, isNoticed);
  test.each(cases.slice(1))(title, { tags: ["slow"] }, isNoticed);

  test("tests that are built first: their sources are falsified", { tags: ["slow"] }, async () => {
    const build =
      "import { cpSync, mkdirSync } from 'node:fs';\nmkdirSync('dist', { recursive: true });\ncpSync('test/cart.spec.js', 'dist/cart.js');\n";
    const spec =
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { size } from "../src/cart.js";\ntest("size", () => {\n  assert.equal(size(), 3);\n});\n';
    const { verdict, of } = await checked({
      command: "node build.js && node --test dist/*.js",
      report: "node-test",
      start: {
        "package.json": '{"type":"module"}',
        "build.js": build,
        "test/cart.spec.js": spec,
        "src/cart.js": "export const size = () => 2;\n",
      },
      present: { "src/cart.js": "export const size = () => 3;\n" },
    });
    expect(verdict.passed).toBe(true);
    expect(of("canary")).toMatchObject({ result: "held", text: "" });
    expect(of("replay")).toMatchObject({ result: "held", looked_at: 1 });
  });

  test("a check before the tests that stops at files of ours: nothing was tried out", {
    tags: ["slow"],
  }, async () => {
    const lint =
      "import { readdirSync } from 'node:fs';\nif (readdirSync('test').length > 1) process.exit(1);\n";
    const { verdict, of } = await checked({
      command: "node lint.js && node --test",
      report: "node-test",
      start: {
        "package.json": '{"type":"module"}',
        "lint.js": lint,
        "src/cart.js": "export const size = () => 2;\n",
        "test/cart.test.js":
          'import assert from "node:assert";\nimport { test } from "node:test";\nimport { size } from "../src/cart.js";\ntest("size", () => {\n  assert.equal(size(), 3);\n});\n',
      },
      present: { "src/cart.js": "export const size = () => 3;\n" },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "not_run", text: "" });
    expect(of("canary").reason).toContain("None of 3 tests that had to fail");
  });

  test("a run that once ends before it reports is made again before anything is said", {
    tags: ["slow"],
  }, async () => {
    const mark = join(tmpdir(), `ccw-loop-once-${randomUUID()}`);
    const endsOnce = `import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
if (readdirSync("test").length > 1) {
  if (!existsSync("${mark}")) writeFileSync("${mark}", String(process.ppid));
  if (readFileSync("${mark}", "utf8") === String(process.ppid)) process.exit(0);
}
`;
    const { verdict, of } = await checked({
      ...NODE,
      present: { "src/cart.js": `${endsOnce}export const name = () => 'ab';\n` },
    });
    expect(existsSync(mark)).toBe(true);
    await rm(mark);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "held", text: "" });
  });

  test("a command that names its test files leaves out ours: nothing was tried out", {
    tags: ["slow"],
  }, async () => {
    const broken = "export const name = () => 'b';\n";
    const { verdict, of } = await checked({
      ...NODE,
      command: "node --test test/cart.test.js",
      start: {
        ...NODE.start,
        "src/cart.js": broken,
        "test/cart.test.js": `${NODE.start["test/cart.test.js"]}test("is a", () => assert.match(name(), /a/));\n`,
      },
      present: { "src/cart.js": "export const name = () => 'ab';\n" },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "not_run", text: "" });
  });

  test("tests that a script names: who compares for them is tried out", async () => {
    const tap = (compare: string) =>
      `n=0\nis() { n=$((n+1)); if ${compare}; then echo "ok $n - $1"; else echo "not ok $n - $1"; bad=1; fi; }\n`;
    const { verdict, of } = await checked({
      command: "sh test/cart.sh",
      report: "exit-code",
      start: {
        "lib/compare.sh": tap('[ "$2" = "$3" ]'),
        "test/cart.sh":
          '. ./lib/compare.sh\necho "TAP version 13"\necho "1..1"\nis "two and two" 4 "$((2+2))"\n[ -z "$bad" ]\n',
      },
      present: { "lib/compare.sh": tap('[ -n "$3" ]') },
    });
    expect(verdict).toMatchObject({ passed: true, counts: { passed: 1 } });
    expect(of("canary")).toMatchObject({ result: "failed", objections: ["canary"] });
    expect(of("canary").text).toContain("test/cart.sh > two and two");
  });

  test.runIf(hasCargo)("cargo: tests inside of a source, and beside the sources", async () => {
    const lib = (total: string) =>
      `pub fn total(price: i64, percent: i64) -> i64 { ${total} }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn halves() {\n        assert_eq!(total(500, 50), 250);\n    }\n}\n`;
    const { verdict, of } = await checked({
      command: "cargo test --offline",
      report: "cargo",
      start: {
        "Cargo.toml": '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2021"\n',
        "src/lib.rs": lib("price - percent"),
        "tests/free.rs":
          "use cart::total;\n\n#[test]\nfn nothing() {\n    assert_eq!(total(0, 0), 0);\n}\n",
      },
      present: { "src/lib.rs": lib("price * (100 - percent) / 100") },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    // One of ours, and both of the project's.
    expect(of("canary")).toMatchObject({ result: "held", looked_at: 3, text: "" });
  });
});
