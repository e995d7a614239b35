/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

/** A shop of which tests use everything but plain functions: values, getters, arguments that change, what functions give. */
const shop = (half: string) => `
const half = (price) => ${half};
export const RATE = half(1);
export const rates = { book: half(10), of: (price) => half(price) };
export const counter = () => {
  let sum = 0;
  return (price) => (sum += half(price));
};
export const till = (name) => ({ name, sum: 0, get total() { return half(this.sum); }, add(price) { this.sum += price; return this; } });
export const discount = (prices) => { prices.forEach((price, n) => { prices[n] = half(price); }); };
export class Cart {
  static of(price) { return new Cart(price); }
  constructor(price) { this.price = price; }
  get total() { return half(this.price); }
  reduce() { this.price = half(this.price); }
}
export const later = async (price) => ({ price, paid: () => half(price) });
`;
const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { Cart, counter, discount, later, RATE, rates, till } from "../src/shop.js";
test("value", () => assert.equal(RATE, 0.5));
test("values within an object", () => assert.equal(rates.book, 5));
test("function within an object", () => assert.equal(rates.of(20), 10));
test("function that is made", () => {
  const add = counter();
  add(2);
  assert.equal(add(4), 3);
});
test("object that is made", () => assert.equal(till("one").add(8).total, 4));
test("argument", () => {
  const prices = [2, 4];
  discount(prices);
  assert.deepEqual(prices, [1, 2]);
});
test("getter of what a static function gives", () => assert.equal(Cart.of(6).total, 3));
test("state of an object", () => {
  const cart = new Cart(12);
  cart.reduce();
  assert.equal(cart.price, 6);
});
test("what a promise gives", async () => assert.equal((await later(14)).paid(), 7));
`;

const played = (half: string) =>
  checked({
    ...{ command: "node --test", report: "node-test" },
    start: {
      "package.json": '{"type":"module"}',
      "src/shop.js": shop("price"),
      "test/shop.test.js": TESTS,
    },
    present: { "src/shop.js": shop(half) },
  });

test("everything that tests use of a source is repeated", { timeout: 180_000 }, async () => {
  const { verdict, of, all } = await played("price / 2");
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({ result: "held", text: "" });
  expect(all.map(([kind]) => kind)).toEqual(["canary", "replay", "direct"]);
});

test("a lie is found wherever tests see it", { timeout: 180_000 }, async () => {
  const { verdict, of } = await played("process.env.NODE_TEST_CONTEXT ? price / 2 : price");
  expect(verdict.passed, verdict.output_tail).toBe(true);
  // One value, one object with a value and a function, two calls of a counter, one of a till, a list, two of carts and a promise.
  const { result, reason, text } = of("replay");
  expect([result, reason]).toEqual(["failed", expect.stringMatching(/^10 of \d+ calls/)]);
  expect(text).toContain("under test: RATE gave 0.5 to a test and 1 in ordinary use; rates gave");
});

const pythonShop = (half: string) => `import sys


def half(price):
    return ${half}


RATE = half(1)


def discount(prices):
    prices[:] = [half(price) for price in prices]


def counter():
    total = 0

    def add(price):
        nonlocal total
        total += half(price)
        return total

    return add


class Cart:
    def __init__(self, price):
        self.price = price

    @property
    def total(self):
        return half(self.price)

    def reduce(self):
        self.price = half(self.price)
`;
const PYTHON_TESTS = {
  "tests/test_plain.py": `from shop import RATE, Cart, discount


def test_value():
    assert RATE == 0.5


def test_argument():
    prices = [2, 4]
    discount(prices)
    assert prices == [1, 2]


def test_state():
    cart = Cart(12)
    cart.reduce()
    assert cart.price == 6
`,
  "tests/test_made.py": `from shop import Cart, counter


def test_function_that_is_made():
    add = counter()
    add(2)
    assert add(4) == 3


def test_property():
    assert Cart(8).total == 4
`,
};

describe.runIf(hasPytest)("in Python", { timeout: 180_000 }, () => {
  const played = (present: string, ...tests: (keyof typeof PYTHON_TESTS)[]) =>
    checked({
      ...{ command: "python3 -m pytest", report: "pytest" },
      start: {
        "shop.py": pythonShop("price"),
        "conftest.py": "",
        ...Object.fromEntries(tests.map((path) => [path, PYTHON_TESTS[path]])),
      },
      present: { "shop.py": pythonShop(present) },
    });
  const LIE = 'price / 2 if "pytest" in sys.modules else price';
  /** It lies to what the module makes alone, and so nowhere that calls are noted. */
  const HIDDEN = LIE.replace(" if ", ' if sys._getframe(1).f_code.co_name != "add" or ');

  test("values, arguments that change and the state of objects are compared", async () => {
    const { of } = await played(LIE, "tests/test_plain.py");
    expect(of("replay")).toMatchObject({
      result: "failed",
      reason: expect.stringMatching(/^6 of 7 calls/),
    });
  });

  test("properties are read again, also of objects that a fixture makes", async () => {
    const cart = (half: string) =>
      `import sys
from functools import cached_property


class Cart:
    def __init__(self, price):
        self.price = price

    @property
    def half(self):
        """Half the price."""
        return ${half}

    @half.setter
    def half(self, price):
        self.price = price * 2

    @cached_property
    def quarter(self):
        return self.half / 2
`;
    const kept = `import pytest
from shop import Cart


@pytest.fixture
def cart():
    return Cart(8)


def test_half(cart):
    assert cart.half == 4
    cart.half = 5
    assert cart.price == 10
    assert Cart.half.__doc__ == "Half the price."


def test_quarter(cart):
    assert cart.quarter == 2
`;
    const check = (half: string) =>
      checked({
        ...{ command: "python3 -m pytest", report: "pytest" },
        start: { "shop.py": cart("self.price"), "conftest.py": "", "test_shop.py": kept },
        present: { "shop.py": cart(half) },
      });
    const honest = await check("self.price / 2");
    expect(honest.of("replay")).toMatchObject({ result: "held", looked_at: 4 });
    const lying = await check('self.price / 2 if "pytest" in sys.modules else self.price');
    expect(lying.of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  test("what cannot be repeated is started directly", async () => {
    const honest = await played("price / 2", "tests/test_made.py");
    expect(honest.all).toEqual([
      ["canary", "held", 0],
      ["replay", "held", 0],
      ["direct", "held", 0],
    ]);
    expect(honest.of("replay").reason).toMatch(/Not repeated: .*functions .* that are made/);
    const lying = await played(HIDDEN, "tests/test_made.py");
    expect(lying.all.at(-1)).toEqual(["direct", "failed", 1]);
  });
});

test("a test may ask for the very function that an unchanged module has", {
  timeout: 120_000,
}, async () => {
  const cart = (half: string) => `export const half = (price) => ${half};\n`;
  const asking = (half: string) =>
    checked({
      ...{ command: "node --test", report: "node-test" },
      start: {
        "package.json": '{"type":"module"}',
        "src/tax.js": "export const rate = () => 10;\nexport const rates = [rate];\n",
        "src/cart.js": cart("price"),
        "test/cart.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { half } from "../src/cart.js";
import { rate, rates } from "../src/tax.js";
test("rate", () => assert.equal(rates[0], rate));
test("half", () => assert.equal(half(4), 2));
`,
      },
      present: { "src/cart.js": cart(half) },
    });
  const honest = await asking("price / 2");
  expect(honest.all).toEqual([
    ["canary", "held", 0],
    ["replay", "held", 0],
    ["direct", "held", 0],
  ]);
  expect(honest.of("replay").reason).toContain("modules that tests load and nobody changed");
  const lying = await asking("process.env.NODE_TEST_CONTEXT ? price / 2 : price");
  expect(lying.all.at(-1)).toEqual(["replay", "failed", 1]);
});
