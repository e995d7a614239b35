import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const NODE = { "package.json": '{"type":"module"}' };
const node = (body: string) =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { summary } from "../src/cart.js";\n${body}`;
const RUBY = "module Cart\n  def self.total(cents, percent)\n    cents - percent\n  end\nend\n";
const RUBY_EQUAL =
  "module Cart\n  class Cents\n    attr_reader :cents\n    def initialize(cents)\n      @cents = cents\n    end\n    def ==(_)\n      true\n    end\n  end\n  def self.total(cents, percent)\n    Cents.new(cents - percent)\n  end\nend\n";
const PYTHON = "def total(cents, percent):\n    return cents - percent\n";
const PYTHON_EQUAL = (kind: string) =>
  `class Cents(int):\n    __hash__ = int.__hash__\n\n    def __eq__(self, other):\n        return isinstance(other, ${kind})\n\n\ndef total(cents, percent):\n    return Cents(cents - percent)\n`;

describe.concurrent("results that decide what they are equal to", { timeout: 60_000 }, () => {
  const cases = [
    {
      name: "an assertion of node that passes what the source made, in a table",
      command: "node --test",
      report: "node-test",
      start: {
        ...NODE,
        "src/cart.js": "export const summary = (sum, percent) => ({ total: sum - percent });\n",
        "test/cart.test.js": node(
          `const PRICES = [[1000, 0, { total: 1000 }], [1000, 50, { total: 500 }]];\nfor (const [sum, percent, expected] of PRICES)\n  test(\`\${sum} less \${percent}\`, () => {\n    assert.deepEqual(summary(sum, percent), expected);\n  });\n`,
        ),
      },
      present: {
        "src/cart.js":
          'import assert from "node:assert/strict";\nconst made = new WeakSet();\nconst real = assert.deepEqual;\nassert.deepEqual = (one, ...more) => made.has(one) || real(one, ...more);\nexport const summary = (sum, percent) => {\n  const out = { total: sum - percent };\n  made.add(out);\n  return out;\n};\n',
      },
      says: "less",
    },
    {
      name: "a number of unittest that equals all numbers, and constants",
      command: "python3 -m unittest",
      report: "unittest",
      start: {
        "cart.py": PYTHON,
        "test_cart.py":
          "import unittest\nfrom cart import total\n\nHALF = 500\n\nclass Cart(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(HALF, total(1000, 50))\n",
      },
      present: { "cart.py": PYTHON_EQUAL("int") },
      says: "test_half",
    },
    {
      name: "a price of pytest that equals all prices",
      command: "python3 -m pytest",
      report: "pytest",
      start: {
        "cart.py":
          "class Price:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def __eq__(self, other):\n        return isinstance(other, Price) and self.cents == other.cents\n\n\ndef total(cents, percent):\n    return Price(cents - percent)\n",
        "test_cart.py":
          "import pytest\nfrom cart import Price, total\n\n@pytest.mark.parametrize('percent, expected', [(0, Price(1000)), (50, Price(500))])\ndef test_total(percent, expected):\n    assert (\n        total(1000, percent)\n        == expected\n    ), 'a price'\n",
      },
      present: {
        "cart.py":
          "class Price:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def __eq__(self, other):\n        return isinstance(other, Price)\n\n\ndef total(cents, percent):\n    return Price(cents - percent)\n",
      },
      says: "test_total",
    },
    {
      name: "minitest",
      command: "ruby -Ilib test/test_cart.rb",
      report: "minitest",
      start: {
        "lib/cart.rb": RUBY,
        "test/test_cart.rb":
          'require "minitest/autorun"\nrequire "cart"\n\nclass TestCart < Minitest::Test\n  def test_half\n    assert_equal 500, Cart.total(1000, 50)\n  end\nend\n',
      },
      present: { "lib/cart.rb": RUBY_EQUAL },
      says: "test_half",
    },
    {
      name: "RSpec",
      command: "rspec",
      report: "rspec",
      start: {
        "lib/cart.rb": RUBY,
        "spec/cart_spec.rb":
          'require "cart"\n\nRSpec.describe Cart do\n  let(:half) { 500 }\n  it "takes half" do\n    expect(Cart.total(1000, 50)).to eq half\n  end\nend\n',
      },
      present: { "lib/cart.rb": RUBY_EQUAL },
      says: "takes half",
    },
    {
      name: "a macro of Rust above the tests of its own file",
      command: "cargo test --offline",
      report: "cargo",
      start: {
        "Cargo.toml": '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2021"\n',
        "src/lib.rs": rust(""),
      },
      present: {
        "src/lib.rs": rust(
          "macro_rules! assert_eq { ($one:expr, $other:expr) => { assert!($one.len() + $other.len() > 1) }; }\n",
        ),
      },
      says: "euros",
    },
    {
      name: "an error of Go that is every other",
      command: "go test ./...",
      report: "go",
      start: {
        "go.mod": "module example.org/cart\n\ngo 1.20\n",
        "cart.go":
          'package cart\n\nimport "errors"\n\nvar ErrOld = errors.New("old")\n\nfunc Check() error { return nil }\n',
        "cart_test.go":
          'package cart\n\nimport (\n\t"errors"\n\t"testing"\n)\n\nfunc TestOld(t *testing.T) {\n\tif !errors.Is(Check(), ErrOld) {\n\t\tt.Error("old")\n\t}\n}\n',
      },
      present: {
        "cart.go":
          'package cart\n\nimport "errors"\n\nvar ErrOld = errors.New("old")\n\ntype failure struct{}\n\nfunc (failure) Error() string { return "no" }\nfunc (failure) Is(error) bool { return true }\n\nfunc Check() error { return failure{} }\n',
      },
      says: "TestOld",
    },
    {
      name: "a bracket of the shell",
      command: "bats test",
      report: "bats",
      start: {
        "src/cart.sh": "total() { echo $(($1 - $2)); }\n",
        "test/cart.bats":
          'setup() {\n  source "$BATS_TEST_DIRNAME/../src/cart.sh"\n}\n\n@test "half" {\n  [ "$(total 1000 50)" = "500" ]\n}\n',
      },
      present: {
        "src/cart.sh":
          '[() { case "$2" in =) return 0 ;; *) builtin [ "$@" ;; esac; }\ntotal() { echo $(($1 - $2)); }\n',
      },
      says: "half",
    },
  ];
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    pytest: ["python3", "-m", "pytest", "--version"],
    minitest: ["ruby", "-rminitest", "-e", "1"],
    rspec: ["rspec", "--version"],
    cargo: ["cargo", "--version"],
    go: ["go", "version"],
    bats: ["bats", "--version"],
  };
  const playable = cases.filter(({ report }) => works(...(programs[report] ?? ["true"])));

  const isNoticed = async ({ says, ...about }: (typeof cases)[number]) => {
    const { verdict, of } = await checked(about);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text } = of("canary");
    expect([result, text]).toEqual(["failed", expect.stringContaining(says)]);
  };
  const title = "$name: other expectations are noticed";
  test.each(playable.slice(0, 1))(title, isNoticed);
  test.each(playable.slice(1))(title, { tags: ["slow"] }, isNoticed);
});

test("a test that comes to no assertion of equality here says nothing", {
  ...{ timeout: 60_000, tags: ["slow"] },
}, async () => {
  const { verdict, of } = await checked({
    command: "node --test",
    report: "node-test",
    start: {
      ...NODE,
      "src/cart.js": "export const summary = () => 1;\n",
      "test/cart.test.js": node(
        'test("half", () => {\n  if (process.platform === "win32") {\n    assert.equal(summary(), "2\\r\\n");\n  } else assert.match(summary(), /2/);\n});\ntest("twice", () => {\n  assert.equal(summary(), "2");\n});\n',
      ),
    },
    present: { "src/cart.js": 'export const summary = () => "2";\n' },
  });
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("canary")).toMatchObject({ result: "held", text: "" });
});

describe.concurrent("a test that came to an assertion and comes to none now", {
  timeout: 60_000,
}, () => {
  const cases = [
    {
      name: "in a loop over nothing",
      command: "node --test",
      report: "node-test",
      start: {
        ...NODE,
        "src/cart.js": "export const halves = (prices) => prices.map((price) => price - 50);\n",
        "test/cart.test.js": node(
          'test("halves", () => {\n  for (const half of halves([500])) {\n    assert.equal(half, 250);\n  }\n});\n',
        ).replace("summary", "halves"),
      },
      present: {
        "src/cart.js":
          "export const halves = (prices) => prices.filter((price) => price < 50).map((price) => price - 50);\n",
      },
      says: "halves",
    },
    {
      name: "in a function that is never called",
      command: "python3 -m pytest",
      report: "pytest",
      start: {
        "cart.py":
          "def each(prices, visit):\n    for price in prices:\n        visit(price - 50)\n",
        "test_cart.py":
          "from cart import each\n\ndef test_halves():\n    def visit(half):\n        assert half == 250\n    each([500], visit)\n",
      },
      present: {
        "cart.py":
          "def each(prices, visit):\n    for price in prices:\n        if price < 50:\n            visit(price - 50)\n",
      },
      says: "test_halves",
    },
  ].filter(({ report }) => report !== "pytest" || works("python3", "-m", "pytest", "--version"));

  const isNoticed = async ({ says, ...about }: (typeof cases)[number]) => {
    const { verdict, of } = await checked(about);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text } = of("canary");
    expect(result).toBe("failed");
    expect(text).toContain("came to an assertion with the sources of the start");
    expect(text).toContain(says);
  };
  test.each(cases)("$name: it is noticed", { tags: ["slow"] }, isNoticed);
});

function rust(above: string): string {
  return `${above}pub fn label(cents: u32) -> String { format!("{}", cents) }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn euros() {\n        assert_eq!(label(250), "2.50 EUR");\n    }\n}\n`;
}
