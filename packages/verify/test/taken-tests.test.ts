/** @module-tag slow */
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

const MODULES = join(import.meta.dirname, "../node_modules");
const [WRONG, RIGHT] = ["price - percent", "(price * (100 - percent)) / 100"];

/** Whether a line of a file that called begins with a word, by what lies on the disk. */
const CALLED_BY = `const isCalledBy = (word) => new Error().stack.split("\\n").some((frame) => {
  const [, place, line] = /((?:file:\\/)?\\/[^:)]+):(\\d+):\\d+\\)?$/.exec(frame) ?? [];
  if (!place) return false;
  const path = place.replace("file://", "");
  return existsSync(path) && readFileSync(path, "utf8").split("\\n")[line - 1].trim().startsWith(word);
});
`;
const esm = (price: string) =>
  `import { existsSync, readFileSync } from "node:fs";\n${CALLED_BY}export const total = (price, percent) => ${price};\n`;
const cjs = (price: string) =>
  `const { existsSync, readFileSync } = require("node:fs");\n${CALLED_BY}exports.total = (price, percent) => ${price};\n`;
const python = (price: string) =>
  `import inspect, linecache, sys\n\ndef is_called_by(word):\n    frames, frame = [], sys._getframe(1)\n    while frame:\n        frames.append(frame)\n        frame = frame.f_back\n    return any(linecache.getline(one.f_code.co_filename, one.f_lineno, one.f_globals).strip().startswith(word) for one in frames)\n\ndef total(price, percent):\n    return ${price}\n`;

const node = {
  ...{ command: "node --test", report: "node-test", source: "src/cart.js" },
  others: {
    "package.json": '{"type":"module"}',
    "test/cart.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.js";
import { FIVE } from "./five.test.js";
test("half", () => {
  assert.equal(total(FIVE * 100, 50), 250);
});
`,
    "test/five.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
export const FIVE = 5;
test("five", () => assert.equal(FIVE, 5));
`,
  } as Readonly<Record<string, string>>,
  cart: esm,
};
const old = {
  ...node,
  others: {
    "package.json": "{}",
    "test/cart.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const { total } = require("../src/cart.js");
const { FIVE } = require("./five.test.js");
test("half", () => {
  assert.equal(total(FIVE * 100, 50), 250);
});
`,
    "test/five.test.js": `const { test } = require("node:test");
exports.FIVE = 5;
test("five", () => {});
`,
  },
  cart: cjs,
};
const vitest = {
  ...node,
  packages: { vitest: join(MODULES, "../../../node_modules/vitest") },
  ...{ command: "node node_modules/vitest/vitest.mjs run", report: "vitest" },
  others: {
    "package.json": '{"type":"module"}',
    "test/cart.test.ts": `import { expect, test } from "vitest";
import { total } from "../src/cart";
import { FIVE } from "./five.test";
test("half", () => {
  expect(total(FIVE * 100, 50)).toBe(250);
});
`,
    "test/five.test.ts": `import { expect, test } from "vitest";
export const FIVE: number = 5;
test("five", () => expect(FIVE).toBe(5));
`,
  },
};
const mocha = {
  ...old,
  packages: { mocha: join(MODULES, "mocha") },
  ...{ command: "node node_modules/mocha/bin/mocha.js test", report: "mocha" },
  others: {
    "package.json": "{}",
    "test/cart.js": `const assert = require("node:assert");
const { total } = require("../src/cart.js");
const { FIVE } = require("./five.js");
it("half", () => {
  assert.equal(total(FIVE * 100, 50), 250);
});
`,
    "test/five.js": 'exports.FIVE = 5;\nit("five", () => {});\n',
  },
};
const pytest = {
  ...{ command: "python3 -m pytest", report: "pytest", source: "cart.py", cart: python },
  others: {
    "tests/__init__.py": "",
    "tests/test_five.py": "FIVE = 5\n\ndef test_five():\n    assert FIVE == 5\n",
    "tests/test_cart.py":
      "from cart import total\nfrom tests.test_five import FIVE\n\ndef test_half():\n    assert total(FIVE * 100, 50) == 250\n",
  },
};
const CASES = [
  { name: "node:test", about: node, asks: 'isCalledBy("assert")' },
  { name: "node:test, CommonJS", about: old, asks: 'isCalledBy("assert")' },
  { name: "vitest", about: vitest, asks: 'isCalledBy("expect")' },
  { name: "mocha", about: mocha, asks: 'isCalledBy("assert")' },
  { name: "pytest", about: pytest, asks: 'is_called_by("assert")', works: hasPytest },
];

describe.concurrent("tests whose files nobody can read", { timeout: 120_000 }, () => {
  const check = async (about: (typeof CASES)[number]["about"], price: string) => {
    const { others, source, cart, ...rest } = about;
    const start = { ...others, [source]: cart(WRONG) };
    return checked({ ...rest, start, present: { [source]: cart(price) } });
  };

  const requireTools = ({ name, works = true }: (typeof CASES)[number], { skip }: TestContext) => {
    if (!works) skip(`${name} is not installed`);
  };

  test.for(CASES)("$name: pass, also those that load each other", async (one, context) => {
    requireTools(one, context);
    const { about } = one;
    const { verdict, of, rooms } = await check(about, RIGHT);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("direct")).toMatchObject({ result: "held", looked_at: 2, text: "" });
    // Where they failed, their files would be put back for another three.
    expect(rooms).toBeLessThanOrEqual(10);
  });

  test.for(CASES)("$name: show who reads the line that calls", async (one, context) => {
    requireTools(one, context);
    const { about, asks } = one;
    const isTyped = about.report === "pytest";
    const lie = isTyped ? `${RIGHT} if ${asks} else ${WRONG}` : `${asks} ? ${RIGHT} : ${WRONG}`;
    const { verdict, of } = await check(about, lie);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("direct")).toMatchObject({ result: "failed", objections: ["direct"] });
    expect(of("direct").text).toContain("where nobody can read");
  });

  test("is no objection where tests of the start need their files as well", async () => {
    const own = {
      "test/lines.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { isCalledBy } from "../src/lines.js";
test("by a line", () => {
  assert.ok(isCalledBy("assert"));
});
`,
      "src/lines.js": `${esm("0")}export { isCalledBy };\n`,
    };
    const about = { ...node, others: { ...node.others, ...own } };
    const { of } = await check(about, `isCalledBy("assert") ? ${RIGHT} : ${WRONG}`);
    expect(of("direct")).toMatchObject({ result: "held", text: "" });
  });
});
