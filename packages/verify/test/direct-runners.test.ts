/** @module-tag slow */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { KINDS_OF_MOCHA, KINDS_OF_VITEST } from "./runner-tests.ts";

const [WRONG, RIGHT] = ["price - percent", "(price * (100 - percent)) / 100"];
const MODULES = join(import.meta.dirname, "../node_modules");

interface RunnerCase {
  packages: Readonly<Record<string, string>>;
  command: string;
  report: string;
  others: Readonly<Record<string, string>>;
  source: string;
  cart: (total: string) => string;
}

/** What takes a callback, and what hangs on a symbol, cannot be recorded. */
const mocha: RunnerCase = {
  packages: { mocha: join(MODULES, "mocha") },
  command: "node node_modules/mocha/bin/mocha.js --require test/support/prepare.cjs test",
  report: "mocha",
  others: {
    "package.json": "{}",
    "test/support/prepare.cjs":
      "exports.mochaHooks = { beforeEach() { this.prepared = true; } };\n",
    "test/cart.js": `const assert = require("node:assert");
const { total } = require("../src/cart.js");
describe("cart", () => {
  it("half the price", (done) => {
    total(500, 50, (price) => {
      assert.equal(price, 250);
      done();
    });
  });
});
`,
  },
  source: "src/cart.js",
  cart: (total) => `exports.total = (price, percent, done) => done(${total});\n`,
};
const vitest: RunnerCase = {
  packages: { vitest: join(MODULES, "../../../node_modules/vitest") },
  command: "node node_modules/vitest/vitest.mjs run",
  report: "vitest",
  others: {
    "package.json": '{"type":"module"}',
    "vitest.config.js":
      'export default { test: { globals: true, setupFiles: "./test/prepare.js" } };\n',
    "test/prepare.js":
      'import { expect } from "vitest";\nexpect.extend({ toBeEven: (n) => ({ pass: n % 2 === 0, message: () => "odd" }) });\n',
    "test/cart.test.js": `import { total } from "../src/cart";
it("half the price", () => total(500, 50, (price) => expect(price).toBe(250)));
`,
  },
  source: "src/cart.ts",
  cart: (total) =>
    `export const total = (price: number, percent: number, done: (price: number) => void) => done(${total});\n`,
};

const LIARS = [
  { name: "mocha", about: mocha, asks: "process.argv.join().includes('mocha')" },
  {
    name: "mocha, by its words",
    about: mocha,
    asks: "typeof it === 'function' || process.argv.join().includes('mocha')",
  },
  {
    name: "mocha, by loaded modules",
    about: mocha,
    asks: "Object.keys(require.cache).some((name) => name.includes('mocha'))",
  },
  { name: "mocha, by its age", about: mocha, asks: "process.uptime() < 3" },
  { name: "vitest", about: vitest, asks: "process.env.VITEST" },
  {
    name: "vitest, by its words",
    about: vitest,
    asks: "'expect' in globalThis || process.env.VITEST",
  },
  {
    name: "vitest, by what its assertions leave",
    about: vitest,
    asks: "Symbol.for('expect-global') in globalThis",
  },
  { name: "vitest, by its terminal", about: vitest, asks: "!process.stdout.isTTY" },
];

describe.concurrent("tests of runners that are started directly", { timeout: 120_000 }, () => {
  const check = (about: RunnerCase, total: string) => {
    const { others, source, cart, ...rest } = about;
    const start = { ...others, [source]: cart(WRONG) };
    return checked({ ...rest, start, present: { [source]: cart(total) } });
  };

  test.each(LIARS)("$name: show what asks for its runner", async ({ about, asks }) => {
    const { verdict, of } = await check(about, `${asks} ? ${RIGHT} : ${WRONG}`);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, objections } = of("direct");
    expect([result, objections]).toEqual(["failed", ["direct"]]);
  });

  test.each([
    { name: "mocha", about: mocha, kinds: { "test/kinds.js": KINDS_OF_MOCHA }, looked_at: 10 },
    {
      name: "vitest",
      about: vitest,
      kinds: { "test/kinds.test.ts": KINDS_OF_VITEST },
      looked_at: 22,
    },
  ])("$name: hold what the runner says of tests of every kind", async (one) => {
    const about = {
      ...one.about,
      others: { ...one.about.others, ...one.kinds } as RunnerCase["others"],
    };
    const { verdict, of } = await check(about, RIGHT);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("direct")).toMatchObject({ result: "held", looked_at: one.looked_at, text: "" });
  });

  // Behind Node itself, which may be installed by a package.
  const ASKS = "process.argv.slice(1).join().includes('node_modules')";
  test.each([
    {
      name: "tape",
      file: "bin/tape",
      load: 'const test = require("tape");',
      end: "t.end();",
      run: "",
    },
    {
      name: "uvu",
      file: "bin.js",
      load: 'const { test } = require("uvu");',
      end: "",
      run: "test.run();",
    },
  ])("$name: shows what asks for it where its calls are repeated", async (one) => {
    const cart = (total: string) => `exports.total = (price, percent) => ${total};\n`;
    const tests = `const assert = require("node:assert");
${one.load}
const { total } = require("../src/cart.js");
test("half the price", (t) => { assert.equal(total(500, 50), 250); ${one.end} });
${one.run}
`;
    const start = { "package.json": "{}", "test/cart.js": tests, "src/cart.js": cart(WRONG) };
    const { verdict, of } = await checked({
      ...{
        command: `node node_modules/${one.name}/${one.file} ${one.name === "uvu" ? "test" : "test/cart.js"}`,
        report: one.name,
      },
      ...{ packages: { [one.name]: join(MODULES, one.name) }, start },
      present: { "src/cart.js": cart(`${ASKS} ? ${RIGHT} : ${WRONG}`) },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });
});
