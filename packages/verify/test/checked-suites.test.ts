/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const below = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

const node = (price: string) =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../src/cart.js";\ntest("half", () => assert.equal(total(500, 50), ${price}));\n`;
const js = (total: string) => `export const total = (price, percent) => ${total};\n`;
const WRONG = js("price - percent");
const RIGHT = js("price * (100 - percent) / 100");

describe("suites in folders", { timeout: 120_000 }, () => {
  const shop = {
    "package.json": '{"type":"module","scripts":{"test":"node --test"}}',
    "src/cart.js": RIGHT,
    "test/cart.test.js": node("250"),
  };

  const played = (present: Readonly<Record<string, string>>) =>
    checked({
      command: "npm test && (cd web && npm test)",
      start: { ...shop, ...below("web", { ...shop, "src/cart.js": WRONG }) },
      present,
    });

  test("are checked like others", async () => {
    const { verdict, all } = await played({ "web/src/cart.js": RIGHT });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(all).toEqual([
      ["canary", "held", 0],
      ["replay", "held", 0],
      ["direct", "held", 0],
      ["direct", "held", 0],
    ]);
  });

  test.each([
    [
      "replay",
      js("process.env.NODE_TEST_CONTEXT ? (price * (100 - percent)) / 100 : price - percent"),
    ],
    [
      "direct",
      `const isTest = process.env.NODE_TEST_CONTEXT !== undefined;
const calls = new WeakMap();
export class Cart { constructor(f) { calls.set(this, f); } }
const right = (price, percent) => price * (100 - percent) / 100;
export const total = (price, percent) => (isTest ? right(price, percent) : price - percent);
`,
    ],
  ])("are not proven by a lie that %s tells", async (_, text) => {
    const { verdict, all } = await played({ "web/src/cart.js": text });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(all.some(([, result]) => result === "failed")).toBe(true);
  });
});

test("what asks whether it is tested is shown behind a script too", {
  timeout: 120_000,
}, async () => {
  const half = (is: string) => `export const half = (price) => ${is};\n`;
  const { verdict, all } = await checked({
    ...{ command: "true && node --test && true", report: "script" },
    start: {
      "package.json": '{"type":"module"}',
      "src/shop.js": half("price"),
      "test/shop.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { half } from "../src/shop.js";
test("halves", () => assert.equal(half(4), 2));
`,
    },
    present: { "src/shop.js": half("process.env.NODE_TEST_CONTEXT ? price / 2 : price") },
  });
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(all).toEqual([
    ["canary", "held", 0],
    ["replay", "failed", 1],
  ]);
});
