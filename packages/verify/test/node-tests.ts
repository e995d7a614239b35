/** What `node:test` offers for writing tests, and one test that needs its runner. */
export const EVERY_KIND = `import assert from "node:assert";
import test, { after, afterEach, before, beforeEach, describe, it, mock } from "node:test";
import { total } from "../src/cart.js";
const half = (price, check = (got) => assert.equal(got, price / 2)) => total(price, 50, check);
const done = [];
let prices;
before(() => { prices = [500]; });
after(() => { done.length = 0; });
await test("before others", async () => {
  await new Promise((go) => setTimeout(go, 5));
  half(prices[0]);
});
describe("a suite", () => {
  let price = 0;
  before(() => { price = 500; });
  beforeEach(() => { price += 100; });
  afterEach(() => done.push("each"));
  it("has prepared", () => assert.equal(price, 600));
  it("has prepared again", () => { assert.equal(price, 700); half(price); });
  describe("in a suite", () => {
    it("is prepared by both", () => assert.equal(price, 800));
    it.skip("is left out", () => assert.fail());
    it("will be", { todo: true }, () => assert.fail());
  });
});
test("with parts", async (t) => {
  t.plan?.(2);
  await t.test("one", (part) => part.assert.equal(part.name, "one"));
  t.test("two", async () => half(400));
});
test("called back", (t, end) => setTimeout(end, 1));
test("mocked", (t) => {
  const check = t.mock.fn();
  half(500, check);
  assert.equal(check.mock.calls[0].arguments[0], 250);
  const other = mock.fn(() => 3);
  assert.equal(other(), 3);
});
test("has the one suite behind it", () => assert.ok(done.length >= 3));
`;
export const REQUIRED = `const test = require("node:test");
const { deepEqual } = require("node:assert");
test("required", () => deepEqual([1], [1]));
test("a picture", (t) => {
  if (process.env.NODE_TEST_CONTEXT === undefined) t.assert.snapshot(1);
});
`;
