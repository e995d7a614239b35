/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const ESM = { "package.json": '{"type":"module"}' };
const FILES = 'import { existsSync, readFileSync, writeFileSync } from "node:fs";\n';
const IS_TESTED = "process.env.NODE_TEST_CONTEXT";

/** A price under test; `about` is what a test asks of a module that exports `ask`. */
function javascript(about: { honest: string; lying: string; asks: string; head?: string }) {
  const source = (ask: string) => `${about.head ?? ""}\nexport const ask = ${ask};\n`;
  return {
    ...{ command: "node --test", report: "node-test" },
    start: {
      ...ESM,
      "src/shop.js": source(about.honest),
      "test/shop.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../src/shop.js";
test("asks", () => { ${about.asks} });
`,
    },
    present: { "src/shop.js": source(about.lying) },
  };
}

const BEHIND = "lies behind the thousandth call";
const INHERITED = "lies in a method that a class has from another";

/** Lies where `isUnseen` holds, and then removes the file in which a program of ours writes what calls gave. */
function removing(isUnseen: string) {
  return javascript({
    head: 'import { readFileSync, rmSync } from "node:fs";',
    honest: "(price) => price / 2",
    lying: `(price) => (${isUnseen} ? price : price / 2);
const program = process.argv[1];
if (${isUnseen} && program) process.on("exit", () => {
  for (const [path] of readFileSync(program, "utf8").matchAll(/\\/[^"]*results-\\d\\.jsonl/g)) rmSync(path, { force: true });
})`,
    asks: "assert.equal(ask(4), 2)",
  });
}

/** Sources that keep the comparison of their calls from seeing what they do outside of the tests. */
const EVASIONS = {
  "ends the program": javascript({
    honest: "(price) => price / 2",
    lying: `(price) => (${IS_TESTED} ? price / 2 : process.exit(0))`,
    asks: "assert.equal(ask(4), 2)",
  }),
  "lies where its process listens on a port": javascript({
    honest: "(price) => price / 2",
    lying:
      '(price) => (process.getActiveResourcesInfo().includes("TCPServerWrap") ? price : price / 2)',
    asks: "assert.equal(ask(4), 2)",
  }),
  "does not come to its end": javascript({
    honest: "async (price) => price / 2",
    lying: `async (price) => (${IS_TESTED} ? price / 2 : new Promise(() => setInterval(() => {}, 1000)))`,
    asks: "return ask(4).then((price) => assert.equal(price, 2))",
  }),
  "cannot be loaded": javascript({
    head: `const isTested = ${IS_TESTED};`,
    honest: "(price) => price / 2",
    lying: '(price) => price / 2;\nif (!isTested) throw new Error("no licence")',
    asks: "assert.equal(ask(4), 2)",
  }),
  [BEHIND]: javascript({
    honest: "(price) => price / 2",
    lying: `(price) => (${IS_TESTED} || price < 2000 ? price / 2 : price)`,
    asks: "for (let price = 1; price < 3000; price += 1) assert.equal(ask(price), price / 2)",
  }),
  "lies of long lists": javascript({
    honest: "(prices) => prices.map((price) => price / 2)",
    lying: `(prices) => prices.map((price, n) => (${IS_TESTED} || n < 2999 ? price / 2 : price))`,
    asks: "assert.deepEqual(ask(Array(3000).fill(4)), Array(3000).fill(2))",
  }),
  "lies within a URL": javascript({
    honest: '(name) => new URL("http://localhost/" + name)',
    lying: `(name) => new URL("http://localhost/" + (${IS_TESTED} ? name : "home"))`,
    asks: 'assert.equal(ask("cart").pathname, "/cart")',
  }),
  "lies within an error": javascript({
    honest: '(code) => { throw Object.assign(new Error("No."), { code }); }',
    lying: `(code) => { throw Object.assign(new Error("No."), { code: ${IS_TESTED} ? code : 0 }); }`,
    asks: "assert.throws(() => ask(7), { code: 7 })",
  }),
  "keeps a file from being written": javascript({
    head: 'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";',
    honest: "(price) => price / 2",
    lying: `(price) => (${IS_TESTED} ? price / 2 : price);\nif (${IS_TESTED}) { fs.appendFileSync = () => {}; syncBuiltinESMExports(); }`,
    asks: "assert.equal(ask(4), 2)",
  }),
  "removes what came of its calls": removing(`!${IS_TESTED}`),
  "removes what came of its calls in a terminal": removing("process.stdout.isTTY"),
  "removes what came of its calls when it has just started": removing(
    `!${IS_TESTED} && process.uptime() < 2`,
  ),
  "lies when it has just started": javascript({
    honest: "(price) => price / 2",
    lying: `(price) => (${IS_TESTED} || process.uptime() > 2 ? price / 2 : price)`,
    asks: "assert.equal(ask(4), 2)",
  }),
  "looks for the folder of its tests": javascript({
    head: FILES,
    honest: "(price) => price / 2",
    lying: '(price) => (existsSync(new URL("../test", import.meta.url)) ? price / 2 : price)',
    asks: "assert.equal(ask(4), 2)",
  }),
  "looks for a file of its tests when it is loaded": javascript({
    head: `${FILES}const isThere = existsSync(new URL("../test/shop.test.js", import.meta.url));`,
    honest: "(price) => price / 2",
    lying: "(price) => (isThere ? price / 2 : price)",
    asks: "assert.equal(ask(4), 2)",
  }),
  "looks for a file of its tests in Python": {
    ...{ command: "python3 -m unittest", report: "unittest" },
    start: {
      "shop.py": "def ask(price):\n    return price\n",
      "test_shop.py":
        "import unittest\nfrom shop import ask\n\nclass Shop(unittest.TestCase):\n    def test_ask(self):\n        self.assertEqual(ask(4), 2)\n",
    },
    present: {
      "shop.py":
        'import os\n\ndef ask(price):\n    return price / 2 if os.path.exists(os.path.join(os.path.dirname(__file__), "test_shop.py")) else price\n',
    },
  },
  [INHERITED]: {
    ...{ command: "node --test", report: "node-test" },
    start: {
      ...ESM,
      "src/shop.js": "export class Shop { ask(price) { return price / 2; } }\n",
      "test/shop.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { Shop } from "../src/shop.js";
test("asks", () => assert.equal(new Shop().ask(4), 2));
`,
    },
    present: {
      "src/shop.js": `class Till { ask(price) { return ${IS_TESTED} ? price / 2 : price; } }\nexport class Shop extends Till {}\n`,
    },
  },
  "hides what it exports": {
    ...{ command: "node --test", report: "node-test" },
    start: {
      "src/shop.js": "exports.ask = (price) => price / 2;\n",
      "test/shop.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const { ask } = require("../src/shop.js");
test("asks", () => assert.equal(ask(4), 2));
`,
    },
    present: {
      "src/shop.js": `Object.defineProperty(exports, "ask", { value: (price) => (${IS_TESTED} ? price / 2 : price) });\n`,
    },
  },
  "is not the module that tests load": {
    ...{ command: "node --test", report: "node-test" },
    start: {
      ...ESM,
      "src/rates.js": "globalThis.half = 2;\n",
      "src/shop.js":
        'import "./rates.js";\nexport const ask = (price) => price / globalThis.half;\n',
      "test/shop.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../src/shop.js";
test("asks", () => assert.equal(ask(4), 2));
`,
    },
    present: { "src/rates.js": `globalThis.half = ${IS_TESTED} ? 2 : 1;\n` },
  },
  "ends Python": {
    ...{ command: "python3 -m unittest", report: "unittest" },
    start: {
      "shop.py": "def ask(price):\n    return price / 2\n",
      "test_shop.py":
        "import unittest\nfrom shop import ask\n\nclass Shop(unittest.TestCase):\n    def test_ask(self):\n        self.assertEqual(ask(4), 2)\n",
    },
    present: {
      "shop.py":
        'import os\nimport sys\n\ndef ask(price):\n    return price / 2 if "unittest" in sys.modules else os._exit(0)\n',
    },
  },
};

describe("a source that tells tests from ordinary use is found, although it", {
  timeout: 120_000,
  concurrent: true,
}, () => {
  test.for(Object.entries(EVASIONS))("%s", async ([name, project]) => {
    const { verdict, all, of } = await checked(project);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    if (name === BEHIND) expect(of("replay").reason).toContain("calls beyond the first");
    const by = [BEHIND, INHERITED].includes(name) ? "direct" : "replay";
    expect(all.filter(([, result]) => result === "failed")).toEqual([[by, "failed", 1]]);
  });
});

test("what ends a program honestly is not blamed", { timeout: 120_000 }, async () => {
  const { verdict, all } = await checked(
    javascript({
      honest: "(code) => { process.exitCode = code; }",
      lying: "(code) => { if (code > 1) process.exit(code); return code; }",
      asks: `const exit = process.exit; process.exit = () => {}; try { assert.equal(ask(2), 2); } finally { process.exit = exit; }`,
    }),
  );
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(all.filter(([, result]) => result === "failed")).toEqual([]);
});

test("what writes into the folder of its tests is not blamed", { timeout: 120_000 }, async () => {
  const { verdict, all } = await checked(
    javascript({
      head: FILES,
      honest: "() => 0",
      lying: '(path, text) => { writeFileSync(path, text); return readFileSync(path, "utf8"); }',
      asks: 'assert.equal(ask("test/written.txt", "4"), "4");',
    }),
  );
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(all.filter(([, result]) => result === "failed")).toEqual([]);
});

test("what asks how long it is until a date is not blamed", { timeout: 120_000 }, async () => {
  const { verdict, of } = await checked(
    javascript({
      honest: "() => false",
      lying: "(coupon) => coupon.ends > new Date()",
      asks: "assert.equal(ask({ ends: new Date(Date.now() + 864e5) }), true)",
    }),
  );
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({ result: "held", text: "" });
});

test("what a test looks at of its own arguments is not read", { timeout: 120_000 }, async () => {
  const { verdict, all } = await checked(
    javascript({
      honest: "() => 0",
      lying: "(given) => (given ? 1 : 0)",
      asks: `let read = false;
  const watched = new Proxy({}, { ownKeys() { read = true; return []; } });
  assert.equal(ask({ get price() { read = true; return 2; } }), 1);
  assert.equal(ask(watched), 1);
  assert.equal(read, false);`,
    }),
  );
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(all.filter(([, result]) => result === "failed")).toEqual([]);
});
