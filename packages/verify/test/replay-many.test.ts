/** @module-tag slow */
import { expect, test } from "vitest";
import { checked } from "./checking.ts";

test("a call behind many others is repeated", { timeout: 60_000 }, async () => {
  const source = (total: string) => `export const total = (price, percent) => ${total};
export const half = (price) => price / 2;
`;
  const { of } = await checked({
    ...{ command: "node --test", report: "node-test" },
    start: {
      "package.json": '{"type":"module"}',
      "src/cart.js": source("price - percent"),
      "test/cart.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { half, total } from "../src/cart.js";
test("halves", () => {
  for (let price = 0; price < 5000; price += 1) assert.equal(half(price), price / 2);
});
test("nothing off", () => {
  for (let price = 0; price < 900; price += 1) assert.equal(total(price, 0), price);
});
test("half the price", () => assert.equal(total(500, 50), 250));
`,
    },
    present: {
      "src/cart.js": source(
        "process.env.NODE_TEST_CONTEXT ? price * (100 - percent) / 100 : price - percent",
      ),
    },
  });
  expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
});
