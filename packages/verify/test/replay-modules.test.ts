/** @module-tag slow */
import { works } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { checked } from "./checking.ts";

/** Modules whose tests rest on how modules of JavaScript work; `HALF` is what the loop repaired. */
const SOURCES = {
  "src/counter.js":
    "export let asked = 0;\nexport function total(sum) {\n  asked += 1;\n  return HALF;\n}\n",
  "src/cycle.js":
    'import { FREE } from "./money.js";\nexport const total = (sum) => (sum === FREE ? sum : HALF);\nexport function nothing() {\n  return 0;\n}\n',
  "src/money.js": 'import { nothing } from "./cycle.js";\nexport const FREE = nothing();\n',
  "src/named.js":
    'import { basename } from "node:path";\nimport { fileURLToPath } from "node:url";\nconst { url } = import.meta;\nexport const names = () => [import.meta.url, url].map((one) => basename(fileURLToPath(one)));\nif (process.argv[1] === fileURLToPath(import.meta.url)) console.log("started");\n',
  "src/words.js": "const real = (sum) => HALF;\nexport { real as total, real as delete, real };\n",
  "src/old.cjs":
    'const { basename } = require("node:path");\nexports.asked = 0;\nexports.name = () => basename(__filename);\nconst { twice } = require("./older.cjs");\nexports.total = (sum) => {\n  exports.asked += 1;\n  return twice(HALF) / 2;\n};\n',
  "src/older.cjs":
    'const old = require("./old.cjs");\nexports.name = () => old.name();\nexports.twice = (sum) => sum * 2;\n',
};

const TESTS = `import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { asked, total } from "../src/counter.js";
import { nothing, total as cycle } from "../src/cycle.js";
import { names } from "../src/named.js";
import old from "../src/old.cjs";
import older from "../src/older.cjs";
import * as words from "../src/words.js";

test("an export changes", () => {
  assert.equal(total(4), 2);
  assert.equal(asked, 1);
});
test("modules need each other while they are loaded", () => {
  assert.equal(cycle(4), 2);
  assert.equal(nothing(), 0);
});
test("a module knows the name of its file", () => {
  assert.deepEqual(names(), ["named.js", "named.js"]);
});
test("a module knows that it was started", () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  assert.equal(execFileSync("node", ["src/named.js"], { env, encoding: "utf8" }), "started\\n");
});
test("names are words of the language", () => {
  assert.deepEqual([words.delete(4), words.real(4), words.total(4)], [2, 2, 2]);
});
test("an older module does all of that", () => {
  assert.equal(old.total(4), 2);
  assert.equal(old.asked, 1);
  assert.equal(older.name(), "old.cjs");
});
`;

const played = (half: string) =>
  checked({
    ...{ command: "node --test", report: "node-test" },
    start: {
      "package.json": '{"type":"module"}',
      "src/cycle.js": "export const total = (sum) => sum;\n",
      "test/all.test.js": TESTS,
    },
    present: Object.fromEntries(
      Object.entries(SOURCES).map(([path, text]) => [path, text.replace("HALF", half)]),
    ),
  });

test("calls of modules are recorded however these work", { timeout: 120_000 }, async () => {
  const { verdict, of } = await played("sum / 2");
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({ result: "held", text: "" });
});

test("what such modules do under test alone is found", { timeout: 120_000 }, async () => {
  const { of } = await played("process.env.NODE_TEST_CONTEXT ? sum / 2 : sum");
  expect(of("replay")).toMatchObject({
    result: "failed",
    text: expect.stringContaining("behave differently under test"),
  });
});

test.runIf(works("python3", "-m", "pytest", "--version"))(
  "what only tests can load is not said to give the same elsewhere",
  { timeout: 120_000 },
  async () => {
    const cart = (half: string) =>
      `import os\n\nSHOP = os.environ["SHOP"]\n\n\ndef total(price):\n    return ${half}\n`;
    const { verdict, of } = await checked({
      command: "python3 -m pytest",
      report: "pytest",
      start: {
        "cart.py": cart("price"),
        "conftest.py": 'import os\n\nos.environ["SHOP"] = "memory"\n',
        "test_cart.py":
          "from cart import total\n\n\ndef test_half(tmp_path):\n    assert total(4) == 2\n",
      },
      present: { "cart.py": cart("price // 2") },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, reason } = of("replay");
    expect([result, reason]).toEqual(["not_run", expect.stringContaining("cannot load")]);
  },
);
