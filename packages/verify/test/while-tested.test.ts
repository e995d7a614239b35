/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasPython = spawnSync("python3", ["--version"], { timeout: 20_000 }).status === 0;

/** A test compares what a source prints with a page beside it. */
const node = (source: string) => ({
  ...{ command: "node --test", report: "node-test" },
  start: {
    "package.json": '{"type":"module"}',
    "src/bill.js": 'export const bill = () => "8";\n',
    "test/golden/bill.txt": "8",
    "test/bill.test.js": `import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { bill } from "../src/bill.js";
test("bill", () => {
  const printed = bill();
  assert.equal(fs.readFileSync("test/golden/bill.txt", "utf8"), printed);
});
`,
  },
  present: { "src/bill.js": source },
});
const python = (source: string) => ({
  ...{ command: "python3 -m unittest", report: "unittest" },
  start: {
    "shop/__init__.py": "",
    "shop/bill.py": 'def bill():\n    return "8"\n',
    "tests/__init__.py": "",
    "tests/golden/bill.txt": "8",
    "tests/test_bill.py": `import pathlib, unittest
from shop.bill import bill

class Bill(unittest.TestCase):
    def test_bill(self):
        printed = bill()
        self.assertEqual(pathlib.Path("tests/golden/bill.txt").read_text(), printed)
`,
  },
  present: { "shop/bill.py": source },
});

/** Two sources, and tests that load both. */
const SHOP = {
  "src/money.js": "exports.show = String;\n",
  "src/cart.js": `exports.total = (cents, percent) => cents - percent;
exports.Cart = class {
  total(cents, percent) { return cents - percent; }
};
exports.api = { total: (cents, percent) => cents - percent };
`,
  "test/cart.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const money = require("../src/money.js");
const cart = require("../src/cart.js");
test("shows", () => assert.equal(money.show(250), "250"));
test("plain", () => {
  assert.equal(cart.total(1000, 0), 1000);
  assert.equal(new cart.Cart().total(1000, 0), 1000);
  assert.equal(cart.api.total(1000, 0), 1000);
});
test("replaced by a test", (t) => {
  t.mock.method(cart, "total", () => 7);
  assert.equal(money.show(1), "1");
  assert.equal(cart.total(1000, 50), 7);
});
`,
};

describe.concurrent("a source that changes what tests compare with, while they run", {
  timeout: 60_000,
}, () => {
  const written = `import fs from "node:fs";
const page = "test/golden/bill.txt";
if (fs.existsSync(page)) {
  fs.writeFileSync(page, "9");
  process.on("exit", () => fs.writeFileSync(page, "8"));
}
export const bill = () => "9";
`;
  const cases = [
    { name: "writes the page, and puts it back", check: "canary", skip: false, ...node(written) },
    {
      name: "replaces the reading when it is loaded",
      check: "replay",
      skip: false,
      ...node(
        'import fs from "node:fs";\nfs.readFileSync = () => "9";\nexport const bill = () => "9";\n',
      ),
    },
    {
      name: "replaces the reading when it is called",
      check: "replay",
      skip: false,
      ...node(
        'import fs from "node:fs";\nexport function bill() {\n  fs.readFileSync = () => "9";\n  return "9";\n}\n',
      ),
    },
    {
      name: "replaces the reading when it is loaded, in Python",
      check: "replay",
      skip: !hasPython,
      ...python(
        'import pathlib\npathlib.Path.read_text = lambda page, *more, **named: "9"\n\ndef bill():\n    return "9"\n',
      ),
    },
    {
      name: "replaces the reading when it is called, in Python",
      check: "replay",
      skip: !hasPython,
      ...python(
        'import pathlib\n\ndef bill():\n    pathlib.Path.read_text = lambda page, *more, **named: "9"\n    return "9"\n',
      ),
    },
  ];
  for (const { name, check, skip, ...project } of cases) {
    test.skipIf(skip)(name, async () => {
      const { verdict, of } = await checked(project);
      expect(verdict.passed).toBe(true);
      expect(of(check)).toMatchObject({ result: "failed", objections: [check] });
    });
  }

  test("changes data that tests load as a module", async () => {
    const start = {
      "src/bill.js": "exports.bill = () => 8;\n",
      "test/data/bill.json": '{"pays":8}',
      "test/bill.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const { bill } = require("../src/bill.js");
const { pays } = require("./data/bill.json");
test("bill", () => assert.equal(bill(), pays));
`,
    };
    const lying = 'require("../test/data/bill.json").pays = 9;\nexports.bill = () => 9;\n';
    const { verdict, of } = await checked({
      ...{ command: "node --test", report: "node-test", start },
      present: { "src/bill.js": lying },
    });
    expect(verdict.passed).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  const shop = (money: string, cart = SHOP["src/cart.js"]) =>
    checked({
      ...{ command: "node --test", report: "node-test", start: SHOP },
      present: { "src/money.js": money, "src/cart.js": cart },
    });
  const HALF = "(cents, percent) => (cents * (100 - percent)) / 100";
  test.each([
    {
      name: "function of its exports when it is loaded",
      money: `require("./cart.js").total = ${HALF};\nexports.show = String;\n`,
    },
    {
      name: "function of its exports when it is called",
      money: `exports.show = (cents) => {\n  require("./cart.js").total = ${HALF};\n  return String(cents);\n};\n`,
    },
    {
      name: "method",
      money: `require("./cart.js").Cart.prototype.total = ${HALF};\nexports.show = String;\n`,
    },
    {
      name: "function of an object that it exports",
      money: `Object.defineProperty(require("./cart.js").api, "total", { value: ${HALF} });\nexports.show = String;\n`,
    },
  ])("replaces another source's $name", async ({ money }) => {
    const { of } = await shop(money);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
    expect(of("replay").text).toMatch(/src\/cart.js (Cart\.|api\.)?total/);
  });

  test("a source may replace its own functions, also for others, and so may a test", async () => {
    const { verdict, of } = await shop(
      'const cart = require("./cart.js");\nexports.show = (cents) => { cart.total(cents, 0); return String(cents); };\n',
      `${SHOP["src/cart.js"]}const { total } = exports;\nexports.total = (...given) => {\n  exports.total = total;\n  return total(...given);\n};\n`,
    );
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay").text).not.toContain("replace functions");
  });

  test.skipIf(!hasPython).each([
    { name: "loaded", patch: "cart.total = half\n\ndef show(cents):\n    return str(cents)\n" },
    {
      name: "called",
      patch: "def show(cents):\n    cart.total = half\n    return str(cents)\n",
    },
    {
      name: "loaded, in a class",
      patch:
        "cart.Cart.total = lambda cart, cents, percent: half(cents, percent)\n\ndef show(cents):\n    return str(cents)\n",
    },
  ])("replaces a function of another source of Python when it is $name", async ({ patch }) => {
    const { of } = await checked({
      ...{ command: "python3 -m unittest", report: "unittest" },
      start: {
        "money.py": "def show(cents):\n    return str(cents)\n",
        "cart.py":
          "def total(cents, percent):\n    return cents - percent\n\nclass Cart:\n    def total(self, cents, percent):\n        return cents - percent\n",
        "test_cart.py": `import unittest
import cart, money

class Cart(unittest.TestCase):
    def test_a_price(self):
        self.assertEqual(money.show(250), "250")

    def test_plain(self):
        self.assertEqual(cart.total(1000, 0), 1000)
        self.assertEqual(cart.Cart().total(1000, 0), 1000)
`,
      },
      present: {
        "money.py": `import cart\n\ndef half(cents, percent):\n    return cents * (100 - percent) // 100\n\n${patch}`,
      },
    });
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
    expect(of("replay").text).toMatch(/cart\.(Cart\.)?total/);
  });

  test("what the start does as well is no objection", async () => {
    const lying = node(written);
    const start = { ...lying.start, "src/bill.js": written.replace('"9";\n', '"8";\n') };
    const { of } = await checked({ ...lying, start });
    expect(of("canary").text).not.toMatch("while the tests run");
  });
});
