import { afterAll, describe, expect, test } from "vitest";
import { play, type Script } from "./scripted-loop.ts";

const fail = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "is wrong"]));
const some = (from: number, to: number) =>
  fail(...Array.from({ length: Math.max(0, to - from) }, (_, i) => `test ${from + i}`));
const fresh = (n: number) => ({ tree: `tree-${n}` });
const oneFix = () => ({ decided: 1, fixes: 1 });

/** Loops that get somewhere, however slowly; `ends` is how. */
const HEALTHY: [string, Script][] = [
  ["a refactoring over 60 tasks", { tasks: 60, develop: fresh }],
  ["60 tasks that change nothing because all is done already", { tasks: 60 }],
  [
    "60 tasks, then 40 broken tests, repaired one by one",
    { tasks: 60, develop: fresh, debug: oneFix, validate: (n) => some(n - 1, 40) },
  ],
  [
    "red to green, three rounds for every test",
    { develop: fresh, debug: oneFix, validate: (n) => some(Math.floor(n / 3), 20) },
  ],
  [
    "a cause that takes 12 fixes before anything turns green",
    {
      develop: fresh,
      debug: () => ({ decided: 1, fixes: 12 }),
      validate: (n) => (n <= 2 ? some(0, 9) : {}),
    },
  ],
  [
    "debugging in 12 rounds in which every repair uncovers the next failure",
    { develop: fresh, debug: oneFix, validate: (n) => (n <= 12 ? fail(`test ${n}`) : {}) },
  ],
  [
    "one long test whose failure moves on",
    {
      develop: fresh,
      debug: oneFix,
      validate: (n) => (n <= 10 ? { "end to end": `no ${"abcdefghijkl"[n]} was found` } : {}),
    },
  ],
  [
    "six rounds of honest repairs that all miss, then one that does not",
    { develop: fresh, debug: oneFix, validate: (n) => (n <= 6 ? fail("a") : {}) },
  ],
  [
    "three DEBUGs without an answer, then the cause",
    {
      develop: fresh,
      debug: (n) => (n < 4 ? {} : oneFix()),
      validate: (n) => (n <= 1 ? fail("a") : {}),
    },
  ],
  [
    "a build that breaks, then tests that fail, then none",
    {
      develop: fresh,
      debug: oneFix,
      validate: (n) => (n <= 2 ? null : n <= 4 ? some(n, 7) : {}),
    },
  ],
  [
    "flaky tests that fail in turn",
    {
      develop: fresh,
      debug: oneFix,
      validate: (n) => (n <= 5 ? fail(n % 2 === 0 ? "flaky a" : "flaky b") : {}),
    },
  ],
  [
    "two steps back for every three forward",
    { develop: fresh, debug: oneFix, validate: (n) => some(0, Math.max(0, 10 - n + (n % 3) * 2)) },
  ],
  [
    "every task fails at first and works at the second try",
    { tasks: 20, develop: (n) => (n <= 20 && n % 2 === 1 ? { failed: true } : fresh(n)) },
  ],
  ["documents alone, without tests", { tasks: 8, develop: fresh, validate: () => ({}) }],
];

/** Loops that go in circles, and after how many iterations somebody has to be asked at the latest. */
const CIRCLES: [string, number, Script][] = [
  [
    "A to B to A",
    40,
    {
      develop: (n) => ({ tree: n % 2 === 0 ? "tree-a" : "tree-b" }),
      debug: oneFix,
      validate: () => fail("a"),
    },
  ],
  [
    "the same failing set for ever, other files each time",
    40,
    { develop: fresh, debug: oneFix, validate: () => fail("a", "b") },
  ],
  ["nothing but DEBUG without an answer", 10, { validate: () => fail("a"), develop: fresh }],
  [
    "hypotheses without end",
    40,
    { develop: fresh, debug: () => ({ decided: 2 }), validate: () => fail("a") },
  ],
  [
    "endless fix tasks",
    140,
    { develop: fresh, debug: () => ({ decided: 1, fixes: 20 }), validate: () => fail("a") },
  ],
  [
    "claims without changes",
    40,
    { debug: () => ({ decided: 1, fixes: 3 }), validate: () => fail("a") },
  ],
  [
    "claims without changes or evidence",
    12,
    { debug: () => ({ fixes: 1 }), validate: () => fail("a") },
  ],
  [
    "two failures that give way to each other",
    40,
    { develop: fresh, debug: oneFix, validate: (n) => fail(n % 2 === 0 ? "a" : "b") },
  ],
  ["a build that never works", 40, { develop: fresh, debug: oneFix, validate: () => null }],
  [
    "messages that differ in numbers and names of files alone",
    40,
    {
      develop: fresh,
      debug: oneFix,
      validate: (n) => ({ a: `expected ${n} at /tmp/x-${n}/a.js after ${n} ms` }),
    },
  ],
  [
    "another failure each time, for ever",
    400,
    { develop: fresh, debug: oneFix, validate: (n) => fail(`generated ${n}`) },
  ],
  ["more and more failures", 40, { develop: fresh, debug: oneFix, validate: (n) => some(0, n) }],
];

let alarms = 0;
afterAll(() => console.log(`false alarms: ${alarms} of ${HEALTHY.length}`));

describe("a loop that gets somewhere is left alone", () => {
  test.each(HEALTHY)("%s", (_, script) => {
    const { state } = play(script);
    if (state.waiting) alarms += 1;
    expect(state.waiting).toBeUndefined();
    expect(state.outcome).toMatchObject({ code: "proven" });
  });
});

describe("a loop that goes in circles asks a person", () => {
  test.each(CIRCLES)("%s", (_, most, script) => {
    const { state, iterations, levels } = play(script);
    expect(state.waiting?.kind).toBe("no_progress");
    expect(iterations).toBeLessThanOrEqual(most);
    expect([...levels]).toEqual(expect.arrayContaining(["escalate", "debug", "wait"]));
  });
});
