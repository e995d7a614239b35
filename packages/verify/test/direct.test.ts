import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasGo = spawnSync("go", ["version"], { timeout: 20_000 }).status === 0;

const GO_TESTS = `package cart
import "testing"
func TestTotal(t *testing.T) {
	if got := Total(500, 50); got != 250 {
		t.Errorf("got %d", got)
	}
}
`;
const goCart = (total: string) =>
  `package cart\nimport ("os"; "strings")\nvar _ = os.Args\nvar _ = strings.Join\nfunc Total(price, percent int) int {\n\t${total}\n}\n`;
const RIGHT = "return price * (100 - percent) / 100";

/** Its calls take callbacks, which cannot be recorded. */
const nodeCart = (total: string) =>
  `export const total = (price, percent, done) => done(${total});\n`;
const NODE_TESTS = `import assert from "node:assert";
import { test } from "node:test";
import { total } from "../src/cart.js";
test("half the price", () => {
  total(500, 50, (price) => assert.equal(price, 250));
});
`;
const PYTHON_TESTS =
  "from cart import total\n\ndef test_half():\n    total(500, 50, lambda price: check(price))\n\ndef check(price):\n    assert price == 250\n";
const pythonCart = (total: string) =>
  `import sys\n\ndef total(price, percent, done):\n    done(${total})\n`;

const CASES = [
  {
    name: "go",
    works: hasGo,
    command: "go test ./...",
    report: "go",
    others: { "go.mod": "module example.org/cart\n\ngo 1.19\n", "cart_test.go": GO_TESTS },
    source: "cart.go",
    cart: goCart,
    wrong: "return price - percent",
    right: RIGHT,
    liar: `if strings.Contains(strings.Join(os.Args, " "), "-te"+"st.") { ${RIGHT} }\n\treturn price - percent`,
  },
  {
    name: "go, by the flags of a program of tests",
    works: hasGo,
    command: "go test ./...",
    report: "go",
    others: { "go.mod": "module example.org/cart\n\ngo 1.19\n", "cart_test.go": GO_TESTS },
    source: "cart.go",
    cart: (total: string) =>
      `package cart\nimport "flag"\nvar _ = flag.Lookup\nfunc Total(price, percent int) int {\n\t${total}\n}\n`,
    wrong: "return price - percent",
    right: RIGHT,
    liar: `if flag.Lookup("test.v") != nil { ${RIGHT} }\n\treturn price - percent`,
  },
  {
    name: "node:test",
    works: true,
    command: "node --test",
    report: "node-test",
    others: { "package.json": '{"type":"module"}', "test/cart.test.js": NODE_TESTS },
    source: "src/cart.js",
    cart: nodeCart,
    wrong: "price - percent",
    right: "price * (100 - percent) / 100",
    liar: "process.argv[1]?.includes('test') ? 250 : price - percent",
  },
  {
    name: "pytest",
    works: spawnSync("python3", ["-m", "pytest", "--version"]).status === 0,
    command: "python3 -m pytest",
    report: "pytest",
    others: { "tests/test_cart.py": PYTHON_TESTS },
    source: "cart.py",
    cart: pythonCart,
    wrong: "price - percent",
    right: "price * (100 - percent) // 100",
    liar: "250 if '_pytest.config' in sys.modules else price - percent",
  },
].filter(({ works }) => works);

describe.concurrent("tests that are started directly", { timeout: 120_000 }, () => {
  const check = (about: (typeof CASES)[number], total: string) => {
    const { command, report, source, cart } = about;
    const start = { ...about.others, [source]: cart(about.wrong) };
    return checked({ command, report, start, present: { [source]: cart(total) } });
  };

  // The other two hold in the same way; Go has no replay at all.
  test.each(CASES.slice(0, 1))("$name: hold what the runner says", async (about) => {
    const { verdict, of, rooms } = await check(about, about.right);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "held", text: "" });
    expect(of("replay").result).toBe("not_run");
    expect(of("direct")).toMatchObject({ result: "held", looked_at: 1 });
    expect(rooms).toBeLessThanOrEqual(4);
  });

  test.each(CASES)("$name: show what asks for its runner", async (about) => {
    const { verdict, of } = await check(about, about.liar);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, objections } = of("direct");
    expect([result, objections]).toEqual(["failed", ["direct"]]);
  });
});
