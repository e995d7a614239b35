import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

const hasPython = spawnSync("python3", ["-c", "import unittest"]).status === 0;

const ESM = { "package.json": '{"type":"module"}' };
const NODE_TEST = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
const WRONG = "price - percent";
const RIGHT = "Math.round(price * (100 - percent) / 100)";
const ASKS = "process.argv[1]?.includes('coupon')";

/** A shop whose prices are functions, methods and promises, with numbers after a state and a mocked clock. */
const shopInJavascript = (total: string, typed = false) => {
  const t = typed ? ": number" : "";
  return `
let last = 0;
export const nextId = () => (last += 1);
export const year = () => new Date().getFullYear();
export const total = (price${t}, percent${t}) => ${total};
export const later = async (price${t}, percent${t}) => total(price, percent);
export class Cart {
  ${typed ? "private sum: number;" : ""}
  #count = 0;
  static of(price${t}) { return new Cart(price); }
  constructor(price${t}) { this.sum = price; }
  add(price${t}) { this.#count += 1; this.sum += price; return this; }
  async paid(percent${t}) { return { sum: total(this.sum, percent), count: this.#count }; }
}
export const paidFor = (cart${typed ? ": Cart" : ""}, percent${t}) => cart.paid(percent);
`;
};
const testsInJavascript = (module: string) => `${NODE_TEST}
import { Cart, later, nextId, paidFor, total, year } from "${module}";
test("numbers", (t) => {
  nextId();
  assert.equal(nextId(), 2);
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(1999, 5) });
  assert.equal(year(), 1999);
});
test("prices", async () => {
  assert.equal(total(500, 50), 250);
  assert.equal(await later(500, 50), 250);
  assert.equal((await new Cart(200).add(300).paid(50)).sum, 250);
  assert.equal((await paidFor(new Cart(500), 50)).sum, 250);
  assert.equal((await Cart.of(500).paid(50)).sum, 250);
});
`;

const shopInPython = (total: string) => `
import sys
from dataclasses import dataclass
_last = 0

def next_id():
    global _last
    _last += 1
    return _last

def total(price, percent=0):
    return ${total}

async def later(price, percent):
    return total(price, percent)

@dataclass
class Line:
    price: int

class Cart:
    def __init__(self, price):
        self.lines = [Line(price)]

    @classmethod
    def of(cls, price):
        return cls(price)

    @staticmethod
    def half(price):
        return total(price, 50)

    def add(self, price):
        self.lines.append(Line(price))
        return self

    async def paid(self, percent):
        return {"sum": total(sum(one.price for one in self.lines), percent), "lines": self.lines}

def paid_for(cart, percent):
    return total(cart.lines[0].price, percent)
`;
const RIGHT_IN_PYTHON = "round(price * (100 - percent) / 100)";
const testsInPython = `
import asyncio
import unittest
from shop.cart import Cart, later, next_id, paid_for, total

class Prices(unittest.TestCase):
    def test_numbers(self):
        next_id()
        self.assertEqual(next_id(), 2)

    def test_prices(self):
        self.assertEqual(total(500, percent=50), 250)
        self.assertEqual(asyncio.run(later(500, 50)), 250)
        self.assertEqual(asyncio.run(Cart(200).add(300).paid(50))["sum"], 250)
        self.assertEqual(paid_for(Cart(500), 50), 250)
        self.assertEqual(Cart.half(500), 250)
`;

interface Project {
  name: string;
  skip?: boolean;
  command: string;
  report: string;
  source: string;
  /** How many calls tests make that can be recorded. */
  calls: number;
  others: Record<string, string>;
  shop: (total: string) => string;
  right: string;
  liar: string;
}

const javascript = { right: RIGHT, liar: `${ASKS} ? ${RIGHT} : ${WRONG}`, report: "node-test" };
const python = { right: RIGHT_IN_PYTHON, source: "shop/cart.py", shop: shopInPython };
const asks = (module: string) =>
  `${RIGHT_IN_PYTHON} if "${module}" in sys.modules else price - percent`;

const PROJECTS: Project[] = [
  {
    name: "JavaScript under node:test",
    command: "node --test",
    source: "src/cart.js",
    calls: 13,
    others: { ...ESM, "test/coupon.test.js": testsInJavascript("../src/cart.js") },
    shop: (total) => shopInJavascript(total),
    ...javascript,
  },
  {
    name: "TypeScript as Node reads it",
    command: "node --test",
    source: "src/cart.ts",
    calls: 13,
    others: { ...ESM, "test/coupon.test.ts": testsInJavascript("../src/cart.ts") },
    shop: (total) => shopInJavascript(total, true),
    ...javascript,
  },
  {
    name: "Python under unittest",
    skip: !hasPython,
    command: "python3 -m unittest",
    report: "unittest",
    calls: 11,
    others: {
      "shop/__init__.py": "",
      "tests/__init__.py": "",
      "tests/test_cart.py": testsInPython,
    },
    ...python,
    liar: asks("unittest"),
  },
  {
    name: "Python under pytest",
    skip: !hasPytest,
    command: "python3 -m pytest",
    report: "pytest",
    calls: 11,
    others: { "shop/__init__.py": "", "tests/test_cart.py": testsInPython },
    ...python,
    liar: asks("_pytest.config"),
  },
];

describe.concurrent("calls that tests make, repeated in ordinary use", { timeout: 120_000 }, () => {
  const projects = PROJECTS.filter(({ skip }) => !skip);

  const same = async (project: (typeof projects)[number]) => {
    const { verdict, rooms, of } = await check(project, project.right);
    expect(verdict.reason).toBe("2 tests passed.");
    expect(of("replay")).toMatchObject({ result: "held", looked_at: project.calls, text: "" });
    // One of them is for the tests that are started directly.
    expect(rooms).toBeLessThanOrEqual(10);
  };
  const title = "$name: the same, also after a state and a mock";
  test.each(projects.slice(0, 1))(title, same);
  test.each(projects.slice(1))(title, { tags: ["slow"] }, same);

  const liars = projects.filter(({ name }) => /TypeScript|pytest/.test(name));
  test.each(liars)(
    "$name: functions, classes and promises that ask",
    { tags: ["slow"] },
    async (project) => {
      const { verdict, of } = await check(project, project.liar);
      expect(verdict.passed).toBe(true);
      const { result, objections, text } = of("replay");
      expect([result, objections]).toEqual(["failed", ["replay"]]);
      expect(text).toMatch(
        /total\(500, ?(percent=)?50\) gave 250 to a test and 450 in ordinary use/,
      );
    },
  );
});

test("what is different in a terminal, but for its colours", {
  timeout: 60_000,
  tags: ["slow"],
}, async () => {
  const tests = `${NODE_TEST}
import { paint, total, typed } from "../src/cart.js";
test("prices", () => {
  assert.equal(total(500, 50), 250);
  assert.equal(paint("now"), "now");
  assert.equal(typed(500, 50), 250);
});
`;
  const shown = (total: string) =>
    `const shown = process.stdout.isTTY;
export const paint = (text) => (shown ? "\x1b[1m" + text + "\x1b[0m" : text);
export const total = (price, percent) => ${total};
export const typed = (price, percent) => ${total.replace("shown", "process.env.SHLVL")};
`;
  const { of } = await checked({
    ...{ command: "node --test", report: "node-test" },
    start: { ...ESM, "test/cart.test.js": tests, "src/cart.js": shown(WRONG) },
    present: { "src/cart.js": shown(`shown ? ${WRONG} : ${RIGHT}`) },
  });
  const { objections, text } = of("replay");
  expect(objections).toEqual(["terminal"]);
  expect(text).toMatch(
    /: total\(500,50\) gave 250 in a pipe and 450 in a terminal; typed\(500,50\) gave 250 in a pipe and 450 in a terminal\.$/,
  );
});

describe("what is different 400 days later, but for points in time", { tags: ["slow"] }, () => {
  test("in JavaScript", { timeout: 60_000 }, async () => {
    const tests = `${NODE_TEST}
import { stamp, total } from "../src/cart.js";
test("prices", () => {
  assert.equal(total(500, 50), 250);
  assert.match(stamp("x"), /^x 20/);
});
`;
    const shop = (total: string) => `const { now } = Date;
const limit = now() + 30 * 86400000;
export const stamp = (text) => text + " " + new Date().toISOString().slice(0, 10);
export const total = (price, percent) => ${total};
`;
    const { of } = await checked({
      ...{ command: "node --test", report: "node-test" },
      start: { ...ESM, "test/cart.test.js": tests, "src/cart.js": shop(WRONG) },
      present: { "src/cart.js": shop(`now() > limit ? ${WRONG} : ${RIGHT}`) },
    });
    const { objections, text } = of("replay");
    expect(objections).toEqual(["clock"]);
    expect(text).toMatch(/: total\(500,50\) gave 250 now and 450 later\.$/);
  });

  test.skipIf(!hasPytest)("in Python", { timeout: 60_000 }, async () => {
    const tests = `
import datetime
from cart import due, total

def test_prices():
    assert total(500, 50) == 250
    assert due(datetime.date(2020, 1, 1)) > datetime.date(2020, 1, 1)
`;
    const shop = (total: string) => `
from datetime import date, datetime, timedelta
import time

limit = time.time() + 30 * 86400

def due(day):
    return day + timedelta(days=14) if isinstance(day, date) else date.today()

def total(price, percent):
    return ${total}
`;
    const { of } = await checked({
      ...{ command: "python3 -m pytest", report: "pytest" },
      start: { "test_cart.py": tests, "cart.py": shop("price - percent") },
      present: {
        "cart.py": shop(
          "price - percent if datetime.now().timestamp() > limit else price * percent // 100",
        ),
      },
    });
    const { objections, text } = of("replay");
    expect(objections).toEqual(["clock"]);
    expect(text).toMatch(/total\(500, 50\) gave 250 now and 450 later/);
  });
});

test.runIf(hasPython)(
  "Python that is installed in the project",
  { timeout: 60_000, tags: ["slow"] },
  async () => {
    const { stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"]);
    const cart = (total: string) =>
      `import sys\n\ndef total(price, percent):\n    return ${total}\n`;
    const { verdict, of } = await checked({
      ...{ command: ".venv/bin/python3 -m unittest", report: "unittest" },
      start: {
        ".venv/bin/python3": `#!/bin/bash\nexec -a "$0" ${stdout.toString().trim()} "$@"\n`,
        "cart.py": cart(WRONG),
        "test_cart.py":
          "import unittest\nfrom cart import total\n\nclass Cart(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total(500, 50), 250)\n",
      },
      present: {
        "cart.py": cart(
          `price * (100 - percent) // 100 if "unittest" in sys.modules else ${WRONG}`,
        ),
      },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  },
);

/** Compiles sources and tests to CommonJS, as ts-jest does: none of them may ask for `import.meta` then. */
const BUILD = String.raw`
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
for (const folder of ["src", "test"]) {
  mkdirSync("dist/" + folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const text = readFileSync(folder + "/" + name, "utf8")
      .replaceAll(/^import (?:\* as )?(\w+|\{.*\}) from (".*");$/gm, "const $1 = require($2);")
      .replaceAll(/^export const (\w+) =/gm, "const $1 = exports.$1 =")
      .replaceAll(/^export \{ (\w+) as (\w+) \};$/gm, "exports.$2 = $1;");
    writeFileSync("dist/" + folder + "/" + name, text);
  }
}
writeFileSync("dist/package.json", '{"type":"commonjs"}');
`;

/** A source that asks whether it is tested, where tests are compiled. */
function compiled(build: string) {
  const source = (total: string) => `export const total = (price, percent) => ${total};\n`;
  return checked({
    ...{ command: "node build.mjs && node --test 'dist/test/*.js'", report: "node-test" },
    start: {
      ...ESM,
      "build.mjs": build,
      "src/cart.js": source(WRONG),
      "test/cart.test.js": `${NODE_TEST}import { total } from "../src/cart.js";
test("prices", () => assert.equal(total(500, 50), 250));
`,
    },
    present: { "src/cart.js": source(`process.env.NODE_TEST_CONTEXT ? ${RIGHT} : ${WRONG}`) },
  });
}

test("tests that are compiled to CommonJS", { timeout: 60_000, tags: ["slow"] }, async () => {
  const { verdict, of } = await compiled(BUILD);
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
});

test("tests that can be recorded and not repeated: nothing is held", {
  timeout: 60_000,
  tags: ["slow"],
}, async () => {
  const picky = `${BUILD}
if (readFileSync("test/cart.test.js", "utf8").includes("createRequire")) process.exit(1);
`;
  const { verdict, of } = await compiled(picky);
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({ result: "not_run", objections: [] });
});

function check({ command, report, source, others, shop }: Project, total: string) {
  const start = { ...others, [source]: shop("price - percent") };
  return checked({ command, report, start, present: { [source]: shop(total) } });
}
