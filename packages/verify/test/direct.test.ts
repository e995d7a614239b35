/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { EVERY_KIND, REQUIRED } from "./node-tests.ts";
import { hasPytest } from "./tools.ts";

const hasGo = spawnSync("go", ["version"], { timeout: 20_000 }).status === 0;

const RIGHT = "return price * (100 - percent) / 100";
const GO_TEST = `if got := Total(500, 50); got != 250 {
		t.Errorf("got %d", got)
	}`;
const goTests = (body = GO_TEST, name = "cart", imports = '"testing"') =>
  `package ${name}\nimport (${imports})\nfunc TestTotal(t *testing.T) {\n\t${body}\n}\n`;
const goCart = (total: string, name = "cart", more = "") =>
  `package ${name}\nimport ("flag"; "os"; "runtime/debug"; "strings"; "time")\nvar began = time.Now()\nvar _ = debug.Stack\nvar _ = flag.Lookup\nvar _ = os.Args\nvar _ = strings.Join\nfunc Total(price, percent int) int {\n\t${total}\n}\n${more}`;
const goCase = (name: string, tests: Readonly<Record<string, string>>, liar: string) => ({
  ...{ name: `go, ${name}`, works: hasGo, command: "go test ./...", report: "go" },
  others: { "go.mod": "module example.org/cart\n\ngo 1.19\n", ...tests },
  source: "cart.go",
  cart: (total: string) => goCart(total),
  wrong: "return price - percent",
  right: RIGHT,
  liar: `if ${liar} { ${RIGHT} }\n\treturn price - percent`,
});
const FLAGS = 'flag.Lookup("test.v") != nil';
const MAIN = "func main() {\n\tprintln(Total(0, 0))\n}\n";
const TABLE = `t.Cleanup(func() { t.TempDir() })
	for _, name := range []string{"half the price", "the other half"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			${GO_TEST}
		})
	}`;
const OUTSIDE = {
  "export_test.go":
    'package cart\nimport ("os"; "testing")\nvar OfTests = Total\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n',
  "outside_test.go": goTests(
    GO_TEST.replace("Total", "cart.OfTests"),
    "cart_test",
    '"example.org/cart"; "testing"',
  ),
};

const EXAMPLES = `package cart
import "fmt"
func ExampleTotal() {
	fmt.Println(Total(500, 0))
	fmt.Println(Total(500, 50))
	// Unordered output:
	// 250
	// 500
}
func Example_compiled() { fmt.Println("7") }
`;

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
const SERVER_TESTS = `import assert from "node:assert";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { total } from "../src/cart.js";
const server = createServer((_, answer) => total(500, 50, (price) => answer.end(String(price))));
before(() => once(server.listen(0, "127.0.0.1"), "listening"));
after(() => server.close());
test("half the price", async () => {
  const answer = await fetch("http://127.0.0.1:" + server.address().port);
  assert.equal(await answer.text(), "250");
});
`;
const PYTHON_TESTS =
  "from cart import total\n\ndef test_half():\n    total(500, 50, lambda price: check(price))\n\ndef check(price):\n    assert price == 250\n";
const SET_UP_CLASS = `import unittest
from cart import total

class Cart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.price = 500

    def test_half(self):
        total(getattr(self, "price", 1), 50, lambda price: self.assertEqual(price, 250))
`;
const AUTOUSE = `import pytest
from cart import total

prices = []

@pytest.fixture(autouse=True)
def known_prices():
    prices.append(500)

def test_half():
    assert prices
    total(prices[0], 50, lambda price: check(price))

def check(price):
    assert price == 250
`;
const pythonCart = (total: string) =>
  `import os, sys, time\nbegan = time.time()\n\ndef total(price, percent, done):\n    done(${total})\n`;
const nodeCase = (name: string, liar: string) => ({
  ...{ name: `node:test${name}`, works: true, command: "node --test", report: "node-test" },
  others: { "package.json": '{"type":"module"}', "test/cart.test.js": NODE_TESTS },
  source: "src/cart.js",
  cart: nodeCart,
  wrong: "price - percent",
  right: "price * (100 - percent) / 100",
  liar,
});
const pythonCase = (name: string, liar: string) => ({
  ...{ name: `pytest${name}`, works: hasPytest, command: "python3 -m pytest", report: "pytest" },
  others: { "tests/test_cart.py": PYTHON_TESTS } as Readonly<Record<string, string>>,
  source: "cart.py",
  cart: pythonCart,
  wrong: "price - percent",
  right: "price * (100 - percent) // 100",
  liar,
});

const CASES = [
  goCase(
    "by its arguments",
    { "cart_test.go": goTests() },
    'strings.Contains(strings.Join(os.Args, " "), "-te"+"st.")',
  ),
  goCase("in a table", { "cart_test.go": goTests(TABLE) }, FLAGS),
  goCase("in a package of tests", OUTSIDE, FLAGS),
  goCase("in an example", { "cart_test.go": EXAMPLES }, FLAGS),
  {
    ...goCase("in a program", { "cart_test.go": goTests(GO_TEST, "main") }, FLAGS),
    cart: (total: string) => goCart(total, "main", MAIN),
  },
  goCase(
    "by its terminal",
    { "cart_test.go": goTests() },
    "about, _ := os.Stdout.Stat(); about.Mode()&os.ModeCharDevice == 0",
  ),
  goCase("by its age", { "cart_test.go": goTests() }, "time.Since(began) < 3*time.Second"),
  goCase(
    "in a table, by its callers",
    { "cart_test.go": goTests(TABLE) },
    'strings.Contains(string(debug.Stack()), "testing.tRunner")',
  ),
  goCase(
    "in a table that needs the runner",
    { "cart_test.go": goTests(TABLE.replace("t.Run(", "run := t.Run\n\t\trun(")) },
    FLAGS,
  ),
  goCase("by the flags of a program of tests", { "cart_test.go": goTests() }, FLAGS),
  goCase(
    "by the names of a program of ours",
    { "cart_test.go": goTests() },
    `${FLAGS} || strings.Contains(os.Args[0], "ccwloop")`,
  ),
  {
    ...goCase("which ends it", { "cart_test.go": goTests() }, FLAGS),
    liar: `if ${FLAGS} { ${RIGHT} }\n\tos.Exit(0)\n\treturn 0`,
  },
  goCase("which panics", { "cart_test.go": goTests() }, `${FLAGS} || strings.Repeat("", -1) == ""`),
  nodeCase("", "process.argv[1]?.includes('test') ? 250 : price - percent"),
  nodeCase(", which ends it", "process.argv[1]?.includes('test') ? 250 : process.exit()"),
  nodeCase(
    " by traces of a library",
    "process.listenerCount('unhandledRejection') + process.listenerCount('uncaughtException') > 0 || process.moduleLoadList.some((name) => name.includes('test_runner')) ? 250 : price - percent",
  ),
  nodeCase(" by its terminal", "process.stdout.isTTY ? price - percent : 250"),
  nodeCase(" by its age", "process.uptime() < 3 ? 250 : price - percent"),
  pythonCase("", "250 if '_pytest.config' in sys.modules else price - percent"),
  pythonCase(
    ", without written bytecode",
    "250 if '_pytest.config' in sys.modules or sys.dont_write_bytecode else price - percent",
  ),
  pythonCase(" by unittest", "250 if 'unittest' in sys.modules else price - percent"),
  pythonCase(" by its terminal", "price - percent if os.isatty(1) else 250"),
  pythonCase(" by its age", "250 if time.time() - began < 3 else price - percent"),
  pythonCase(", which ends it", "250 if '_pytest.config' in sys.modules else os._exit(0)"),
].filter(({ works }) => works);

describe.concurrent("tests that are started directly", { timeout: 120_000 }, () => {
  const check = (about: (typeof CASES)[number], total: string) => {
    const { command, report, source, cart } = about;
    const start = { ...about.others, [source]: cart(about.wrong) };
    return checked({ command, report, start, present: { [source]: cart(total) } });
  };

  // In as many ways as Go has tests; it has no replay at all.
  test.each(CASES.filter(({ report }) => report === "go").slice(0, 4))(
    "$name: hold what the runner says",
    async (about) => {
      const { verdict, of, rooms } = await check(about, about.right);
      expect(verdict.passed, verdict.output_tail).toBe(true);
      expect(of("canary")).toMatchObject({ result: "held", text: "" });
      expect(of("replay").result).toBe("not_run");
      expect(of("direct")).toMatchObject({ result: "held", looked_at: 1 });
      expect(rooms).toBeLessThanOrEqual(4);
    },
  );

  test.each(CASES)("$name: show what asks for its runner", async (about) => {
    const { verdict, of } = await check(about, about.liar);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, objections } = of("direct");
    expect([result, objections]).toEqual(["failed", ["direct"]]);
  });

  const FIXTURE = "\n\ndef test_with_a_fixture(tmp_path):\n    assert tmp_path\n";
  const ENDS = 'import { after } from "node:test";\nafter(() => process.exit());\n';
  test.each([
    {
      about: pythonCase(": tests with fixtures", ""),
      tests: { "tests/test_cart.py": PYTHON_TESTS + FIXTURE },
      outcome: { result: "held", looked_at: 1 },
      reason: "1 of them could not be started",
    },
    {
      about: pythonCase(": tests that a class prepares", ""),
      tests: { "tests/test_cart.py": SET_UP_CLASS },
      outcome: { result: "held", looked_at: 1 },
      reason: "No test fails",
    },
    {
      about: pythonCase(": tests that pytest prepares", ""),
      tests: { "tests/test_cart.py": AUTOUSE },
      outcome: { result: "not_run", looked_at: 0 },
      reason: "No test could be started",
    },
    {
      about: nodeCase(": tests that end their process", ""),
      tests: { "test/cart.test.js": ENDS + NODE_TESTS },
      outcome: { result: "not_run", looked_at: 0 },
      reason: "neither now nor at the start",
    },
    {
      about: nodeCase(": a server", ""),
      tests: { "test/cart.test.js": SERVER_TESTS },
      outcome: { result: "held", looked_at: 1 },
      reason: "No test fails",
    },
    {
      about: nodeCase(": tests of every kind", ""),
      tests: { "test/cart.test.js": EVERY_KIND, "test/old.test.cjs": REQUIRED },
      outcome: { result: "held", looked_at: 11 },
      reason:
        "No test fails that passes under the runner. 1 of them could not be started directly.",
    },
  ])("$about.name are not counted, and not blamed", async ({ about, tests, outcome, reason }) => {
    if (!about.works) return;
    const { of } = await check({ ...about, others: { ...about.others, ...tests } }, about.right);
    expect(of("direct")).toMatchObject({ ...outcome, text: "" });
    expect(of("direct").reason).toContain(reason);
    // No run waited for its time limit.
    expect(of("direct").duration_ms).toBeLessThan(60_000);
  });

  const bundle = (text: string) =>
    `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";\nmkdirSync("dist", { recursive: true });\nconst text = readFileSync("src/cart.js", "utf8");\nwriteFileSync("dist/cart.js", ${text});\n`;
  const repaired = 'text.replace("price - percent", "price * (100 - percent) / 100")';
  test.each([
    [
      "a hook",
      { pretest: "npm run build", build: "node bundle.mjs", test: "node --test" },
      "npm test",
    ],
    ["the script", { build: "node bundle.mjs", test: "npm run build && node --test" }, "npm test"],
    ["a given command", { test: "node --test" }, "node bundle.mjs && npm test"],
  ])("what %s builds is built as users do", async (_, scripts, command) => {
    const start = {
      "package.json": JSON.stringify({ type: "module", scripts }),
      "src/cart.js": nodeCart("price - percent"),
      "test/cart.test.js": NODE_TESTS.replace("src/", "dist/"),
      "bundle.mjs": bundle("text"),
    };
    const built = (text: string) =>
      checked({ command, start, present: { "bundle.mjs": bundle(text) } });
    const liar = await built(`process.env.CI ? ${repaired} : text`);
    expect(liar.verdict.passed, liar.verdict.output_tail).toBe(true);
    expect(liar.of("direct").text).toContain("half the price");
    expect((await built(repaired)).of("direct")).toMatchObject({ result: "held", looked_at: 1 });
  });
});
