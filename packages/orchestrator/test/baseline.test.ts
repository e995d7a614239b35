import { TESTS_KEPT } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { bench, debug, driven, plan, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

const TURNS = [plan("one"), write("a.js", "1")];

test("the baseline is measured once, before the agent is asked anything", async () => {
  const verifier = testsThat({ x: "passed", y: "failed" }, { x: "passed", y: "failed" });
  const b = bench(TURNS, verifier);
  const { done, state } = await driven(b, { settings: { known_red: ["cart > y"] } });
  expect(state.baseline).toMatchObject({
    command: "npm test",
    counts: { total: 2, failed: 1 },
    tests: { "cart > x": "passed", "cart > y": "failed" },
  });
  expect(state).toMatchObject({
    status: "completed",
    outcome: { message: expect.stringContaining("1 failed before the loop and still fail") },
  });
  expect(verifier.ran).toBe(2);
  expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
});

test("a test that was red and is owed keeps the loop from completing", async () => {
  const verifier = testsThat({ x: "passed", y: "failed" });
  const b = bench(TURNS, verifier);
  const id = await b.start({ description: "Fix the failing test", max_iterations: 2 });
  expect(await b.service.run(id)).toMatchObject({
    status: "failed",
    outcome: { code: "max_iterations" },
    receipts: [{ passed: false, comparison: { owed: ["cart > y"] } }],
  });
});

test("the plan is made with the baseline in sight", async () => {
  const init = {
    ...plan("one"),
    expect: ["# ACTION: INIT", "Known failures to ignore:", "cart > y"],
  };
  const b = bench([init, write("a.js", "1")], testsThat({ x: "passed", y: "failed" }));
  const state = await b.service.run(await b.start({ settings: { known_red: ["cart > y"] } }));
  expect(state.status).toBe("completed");
});

test("a test that failed before is known as such however many there are", async () => {
  const names = Array.from({ length: TESTS_KEPT }, (_, n) => [`t${n}`, "passed"] as const);
  const many = { ...Object.fromEntries(names), "zz red": "failed" as const };
  const b = bench(TURNS, testsThat(many));
  const id = await b.start({ max_iterations: 3, settings: { known_red: ["zz red"] } });
  expect((await b.service.run(id)).status).toBe("completed");
});

test("DEBUG is told every test that should pass, owed or new", async () => {
  const names = Array.from({ length: 30 }, (_, n) => `case ${n + 10}`);
  const half = names.map((name, n) => [name, n < 15 ? "failed" : "passed"] as const);
  const all = names.map((name) => [name, "failed"] as const);
  const looking = { ...debug(), expect: names.map((name) => `cart > ${name}`) };
  const verifier = testsThat(Object.fromEntries(half), Object.fromEntries(all));
  const b = bench([...TURNS, looking], verifier);
  const { done } = await driven(b, { description: "Fix the tests", max_iterations: 3 });
  expect(done).toContain("DEBUG");
});

describe("flaky tests", () => {
  test("a new failure is run again, and an old test that then passes does not block", async () => {
    const verifier = testsThat({ x: "passed" }, { x: "failed" }, { x: "passed" });
    const b = bench(TURNS, verifier);
    const { state } = await driven(b, { description: "Add a flag", settings: { flaky_reruns: 2 } });
    expect(state).toMatchObject({ status: "completed" });
    expect(state.receipts?.[0]).toMatchObject({ runs: 2, comparison: { flaky: ["cart > x"] } });
  });

  test("a fix that holds only sometimes is found out by the confirming run", async () => {
    const verifier = testsThat({ x: "failed" }, { x: "passed" }, { x: "failed" });
    const b = bench(TURNS, verifier);
    const { state } = await driven(b, { description: "Fix it", max_iterations: 2 });
    expect(state.receipts?.[0]).toMatchObject({ passed: false, runs: 2 });
    expect(state.receipts?.[0]?.reason).toContain("passes and fails without any change");
    expect(state.status).toBe("failed");
  });

  test("a failure that stays is run again at most as often as told", async () => {
    const verifier = testsThat({ x: "passed" }, { x: "failed" });
    const b = bench(TURNS, verifier);
    const id = await b.start({ max_iterations: 2, settings: { flaky_reruns: 3 } });
    expect((await b.service.run(id)).receipts?.[0]).toMatchObject({ passed: false, runs: 4 });
  });
});

describe("coverage gates", () => {
  const covering = (...percents: (number | null)[]) => {
    const verifier = testsThat({ x: "passed" });
    const { verify } = verifier;
    verifier.verify = async (...args) => {
      const run = await verify(...args);
      const coverage = percents[Math.min(verifier.ran, percents.length) - 1] ?? null;
      return { ...run, coverage };
    };
    return verifier;
  };
  test.each([
    ["too little", { min_coverage: 80 }, [90, 79.5], "Coverage is 79.5 % of lines; at least 80 %"],
    ["none at all", { min_coverage: 80 }, [90, null], "the test command wrote none"],
    ["a drop", { no_coverage_drop: true }, [90, 80], "Coverage dropped from 90 % to 80 %"],
    ["a drop from nothing known", { no_coverage_drop: true }, [null, 80], "none was measured"],
  ])("%s is no pass", async (_, gates, percents, reason) => {
    const b = bench(TURNS, covering(...percents));
    const id = await b.start({ description: "Add it", settings: gates, max_iterations: 2 });
    const { receipts } = await b.service.run(id);
    expect(receipts?.[0]).toMatchObject({ passed: false });
    expect(receipts?.[0]?.reason).toContain(reason);
  });

  test("enough is", async () => {
    const settings = { min_coverage: 80, no_coverage_drop: true };
    const b = bench(TURNS, covering(81, 82));
    const id = await b.start({ description: "Add it", settings });
    expect((await b.service.run(id)).status).toBe("completed");
  });
});
