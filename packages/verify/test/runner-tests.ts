/** What mocha offers for writing tests. */
export const KINDS_OF_MOCHA = `"use strict";
const assert = require("node:assert");
const { total } = require("../src/cart.js");
const half = (price) => total(price, 50, (got) => assert.equal(got, price / 2));
describe("suite", function () {
  this.timeout(5000);
  before(function () { this.price = 500; });
  beforeEach(function (done) { this.n = (this.n ?? 0) + 1; setTimeout(done, 1); });
  afterEach(async () => {});
  it("shares", function () { assert.equal(this.price, 500); assert.ok(this.prepared); }).timeout(300);
  it("is called back", (done) => { setTimeout(() => { half(500); done(); }, 1); });
  it("promises", () => Promise.resolve().then(() => half(400)));
  it("is to come");
  it.skip("is left out", () => assert.fail());
  it("leaves itself out", function () { this.skip(); });
  context("nested", () => { it("has a title", function () { assert.equal(this.test.title, "has a title"); assert.equal(this.price, 500); }); });
  for (const n of [1, 2]) specify("number " + n, () => assert.ok(n));
  it("tries again", function () { this.retries(2); half(300); });
});
describe("in order", () => {
  const done = [];
  after(() => done.length = 0);
  it("comes first", () => assert.equal(done.push("first"), 1));
  it("comes next", () => assert.deepEqual(done, ["first"]));
});
`;

/** What vitest offers, and tests that need its runner. */
export const KINDS_OF_VITEST = `import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import * as cart from "../src/cart";
enum Kind { A = 1, B }
const half = (price: number) => cart.total(price, 50, (got) => expect(got).toBe(price / 2));
let prices: number[];
const log: string[] = [];
beforeAll(() => { prices = [500]; return () => { prices = []; }; });
beforeEach(() => () => { log.push("cleaned"); });
afterEach(() => { log.push("after"); });
test("prepared", () => half(prices[0]!));
test("with a matcher of the project", () => (expect(4) as any).toBeEven());
test("promised", async () => { await expect(Promise.reject(new TypeError("x"))).rejects.toThrow(TypeError); });
test.each([[500, 2], [1000, 1]])("%i times %i", (a, b) => { half(a); expect(a * b).toBe(1000); });
test.each([{ a: 1, b: "x" }, { a: 2, b: "y" }])("row $a $b", ({ a, b }) => expect([a, b]).toEqual([expect.any(Number), b]));
test.each\`a | b
\${1} | \${2}
\${3} | \${4}\`("table $a $b", ({ a, b }) => expect(b).toBe(a + 1));
test.for([[1, 2]])("for %i %i", ([a, b], { expect }) => expect(a + b).toBe(3));
describe.each(["p", "q"])("in %s", (letter) => { it("is " + letter, () => expect(letter).toMatch(/p|q/)); });
describe("suite", () => {
  let n = 0;
  beforeEach(() => { n += 1; });
  it("one", () => expect(n).toBe(1));
  it("two", () => expect(n).toBe(2));
  it.skip("is left out", () => { throw 1; });
  it.todo("is to come");
});
test("spies", () => {
  const o = { f: () => 1 };
  const spy = vi.spyOn(o, "f").mockReturnValue(3);
  expect(o.f()).toBe(3);
  expect(spy).toHaveBeenCalledOnce();
});
test("environment", () => { vi.stubEnv("FOO", "1"); expect(process.env.FOO).toBe("1"); vi.unstubAllEnvs(); });
test("globals", () => { vi.stubGlobal("zz", 3); expect((globalThis as any).zz).toBe(3); vi.unstubAllGlobals(); });
test("waits", async () => { let n = 0; setTimeout(() => { n = 1; }, 20); await vi.waitFor(() => expect(n).toBe(1)); });
test("finishes", ({ task }) => { onTestFinished(() => { log.push("finished"); }); expect(task.name).toBe("finishes"); });
test("an enum", { timeout: 5000 }, () => expect(Kind.B).toBe(2));
test.concurrent("beside others", async () => { expect(1).toBe(1); });
test("leaves itself out", ({ skip }) => skip());
test.extend<{ x: number }>({ x: async ({}, use) => { await use(3); } })("with a fixture", ({ x }) => expect(x).toBe(3));
test("a snapshot", () => expect({ a: 1 }).toMatchInlineSnapshot(\`
  {
    "a": 1,
  }
\`));
test("timers", () => {
  vi.useFakeTimers();
  const f = vi.fn();
  setTimeout(f, 1000);
  vi.advanceTimersByTime(1000);
  expect(f).toHaveBeenCalled();
  vi.useRealTimers();
});
test("a spy of a module", () => { const spy = vi.spyOn(cart, "total"); half(500); expect(spy).toHaveBeenCalled(); });
`;
