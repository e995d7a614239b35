import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DIRECT_STARTS } from "../src/direct/starts.ts";

const RIGHT = "(500 * (100 - percent)) / 100";
const HEAD = `import assert from "node:assert/strict";\nimport { mock, test } from "node:test";\n`;

/** Tests that hand over a function, and spy on a method. */
const withMocks = (name: string) => `${HEAD}import { total } from "../src/${name}.js";
test("${name}", (context) => {
  const percentOf = mock.fn(() => 50);
  assert.equal(total(percentOf), 250);
  assert.equal(percentOf.mock.callCount(), 1);
  assert.deepEqual(Object.keys(percentOf), []);
  percentOf.mock.mockImplementation(() => 20);
  assert.equal(percentOf(), 20);
  const shop = { percent: 50, percentOf() { return this.percent; } };
  const spy = context.mock.method(shop, "percentOf");
  assert.equal(shop.percentOf(), 50);
  assert.deepEqual(spy.mock.calls.map(({ this: self }) => self === shop), [true]);
  spy.mock.restore();
  assert.equal(shop.percentOf.mock, undefined);
});
`;
/** Tests that put another clock and other timers in their places. */
const withClock = (name: string) => `${HEAD}import { soon, total } from "../src/${name}.js";
test("${name}", () => {
  const started = Date.now();
  mock.timers.enable({ apis: ["Date", "setTimeout"], now: 1000 });
  assert.equal(new Date().getTime(), 1000);
  assert.ok(new Date(0) instanceof Date && new Date().constructor === Date);
  assert.equal(total(() => 50), 250);
  let called = 0;
  soon(() => (called += 1));
  assert.equal(called, 0);
  mock.timers.tick(60_000);
  assert.equal(called, 1);
  assert.equal(Date.now(), 61_000);
  mock.timers.reset();
  assert.ok(Date.now() >= started);
  const before = Date.now;
  Date.now = () => before() - started;
  assert.ok(Date.now() < 60_000);
  Date.now = before;
  assert.ok(Date.now === before && Date.now() >= started);
  assert.ok(structuredClone(new Date()) instanceof Date);
});
`;

const source = (isTested: string) => `const [real, now, timer] = [Date, Date.now, setTimeout];
export const soon = (done) => setTimeout(done, 1000);
export function total(percentOf) {
  const isTested = ${isTested};
  const percent = percentOf();
  return isTested ? ${RIGHT} : 500 - percent;
}
`;
const MOCKS = {
  honest: "true",
  property: "percentOf.mock",
  reflected: 'Reflect.get(percentOf, "mock") !== undefined',
  spread:
    "Object.getOwnPropertyNames(percentOf).length > 2 || { ...percentOf }.mock !== undefined || percentOf.mock",
  inherited: "Object.create(percentOf).mock !== undefined",
  text: 'Function.prototype.toString.call(percentOf).includes("native code")',
  silent: "((Error.stackTraceLimit = 0), percentOf.mock)",
  prepared: '((Error.prepareStackTrace = () => "at test (file:///tests.js:1:1)"), percentOf.mock)',
};
const CLOCKS = {
  "clock-honest": "true",
  "clock-replaced": "Date !== real",
  "clock-marked": "Date.isMock === true",
  "clock-now": "Date.now !== now || Date.now !== real.now",
  "clock-timer": "setTimeout !== timer",
  "clock-text": 'String(Date.now) !== "function now() { [native code] }"',
};

test("a source cannot tell mocks and mocked clocks of node:test from what they stand for", {
  tags: ["slow"],
}, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ccw-loop-disguise-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "project");
  for (const name of ["src", "test", "../build"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  const write = (name: string, isTested: string, text: string) => {
    writeFileSync(join(root, `src/${name}.js`), source(isTested));
    writeFileSync(join(root, `test/${name}.test.js`), text);
    return name;
  };
  const names = [
    ...Object.entries(MOCKS).map(([name, asks]) => write(name, asks, withMocks(name))),
    ...Object.entries(CLOCKS).map(([name, asks]) => write(name, asks, withClock(name))),
  ];
  const { command, read } = await (
    DIRECT_STARTS["node-test"] as (typeof DIRECT_STARTS)[string]
  ).prepare({
    ...{ root, folder: join(folder, "build"), token: "k1", command: "node --test" },
    tests: names.map((name) => `test/${name}.test.js`),
    sources: names.map((name) => `src/${name}.js`),
    ...{
      suites: new Set<string>(),
      isTaken: false,
      zone: null,
      textOf: () => "",
      shown: (text: string) => text,
    },
    ...{ start: async () => root, run: async () => "", runInPlace: async () => "" },
  });
  const output = execFileSync("sh", ["-c", command ?? "exit 1"], { cwd: root, encoding: "utf8" });
  const { passed, failed } = read(output);
  expect(passed).toEqual(["honest", "clock-honest"]);
  expect(failed).toEqual(names.filter((name) => !name.endsWith("honest")));
});
