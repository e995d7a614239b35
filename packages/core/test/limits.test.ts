import { describe, expect, test } from "vitest";
import {
  decide,
  type LoopState,
  limitReached,
  outcomeOf,
  reopenCommand,
  roomTimeoutOf,
  SkillState,
  selectNextAction,
  testTimeoutOf,
  Usage,
} from "../src/index.ts";
import { loop, receipt, task } from "./given.ts";

const tasks = [task("a", { status: "completed" }), task("b"), task("c")];
const used = (usage: Partial<Usage>, changes: Partial<LoopState> = {}): LoopState =>
  loop({ status: "running", tasks, usage: Usage.parse(usage), ...changes });

describe("a bound that is reached names itself, what is left, and the command that raises it", () => {
  const rows: [string, LoopState, string, string][] = [
    [
      "iterations",
      loop({ status: "running", tasks, current_iteration: 10 }),
      "max_iterations",
      "10 of 10 iterations are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-iterations 20",
    ],
    [
      "working time",
      used({ active_ms: 4 * 3_600_000 }),
      "max_duration",
      "4h 0m of 4h 0m of work are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-duration 8h",
    ],
    [
      "turns",
      used({ turns: 200 }),
      "max_turns",
      "200 of 200 agent turns are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-turns 400",
    ],
    [
      "tokens",
      used({ total_tokens: 50 }, { limits: { max_tokens: 10 } }),
      "budget_exhausted",
      "50 of 10 tokens are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-tokens 75",
    ],
    [
      "money",
      used({ cost_usd: 0.05 }, { limits: { max_cost_usd: 0.05 } }),
      "budget_exhausted",
      "$0.050 of $0.050 are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-cost 0.1",
    ],
    [
      "failures in a row",
      used({ consecutive_failures: 5 }),
      "consecutive_failures",
      "5 actions failed one after the other. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen",
    ],
  ];
  test.each(rows)("%s", (_, state, code, message) => {
    expect(outcomeOf(state)).toEqual({ status: "failed", code, message });
    const begun = { ...state, skill_state: SkillState.parse({ mode: "auto" }) };
    expect(selectNextAction(begun)).toMatchObject({ action: "COMPLETE", rule: 4 });
  });
});

test("both tokens and money are raised when both are used up", () => {
  const state = used(
    { total_tokens: 10, cost_usd: 1 },
    { limits: { max_tokens: 10, max_cost_usd: 1 } },
  );
  expect(reopenCommand(state, "budget_exhausted")).toBe(
    "ccw-loop resume loop-a --reopen --max-tokens 20 --max-cost 2",
  );
});

test("the command raises every bound that would end the loop again at once", () => {
  const state = used(
    { turns: 4 },
    { status: "failed", current_iteration: 30, max_iterations: 3, limits: { max_turns: 4 } },
  );
  const command = "ccw-loop resume loop-a --reopen --max-iterations 40 --max-turns 8";
  expect(reopenCommand(state, "max_iterations")).toBe(command);
  expect(reopenCommand(state, "stopped_by_user")).toBe(command);
  const at = "2026-01-22T10:00:00Z";
  expect(() => decide(state, { type: "resume", reopen: true }, at)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ hint: `Resume it with: ${command}` }),
    }),
  );
});

test("a completed loop is taken up with a new task, and with room for it", () => {
  const done = loop({ status: "completed", current_iteration: 10, tasks: [tasks[0] ?? task("a")] });
  expect(reopenCommand(done)).toBe(
    "ccw-loop tasks add loop-a - && ccw-loop resume loop-a --reopen --max-iterations 20",
  );
  expect(reopenCommand({ ...done, tasks })).toBe(
    "ccw-loop resume loop-a --reopen --max-iterations 20",
  );
});

test("a short bound of working time is told in seconds", () => {
  const state = used({ active_ms: 2100 }, { limits: { max_duration_ms: 2000 } });
  expect(limitReached(state)?.message).toBe("2s of 2s of work are used.");
});

test("what is left is told also where no task is open and no test has a name", () => {
  const left = (changes: Partial<LoopState>) =>
    /Left: (.*)\. Go on/.exec(outcomeOf(loop({ current_iteration: 10, ...changes })).message)?.[1];
  const skill_state = SkillState.parse({});
  const failed = receipt(false);
  expect(left({})).toBe("a plan");
  expect(left({ skill_state })).toBe("a test run that passes");
  expect(left({ skill_state, receipts: [failed] })).toBe("a test run that passes");
  expect(left({ skill_state, receipts: [receipt(true)] })).toBe(
    "a test run of the files as they are now",
  );
  expect(left({ tasks: [task("b")], receipts: [failed] })).toBe(
    "1 task open (b), a test run that passes",
  );
});

test("no answer ends a usage limit", () => {
  const waiting = { kind: "usage_limit" as const, since: "2026-01-22T10:00:00Z" };
  const waits = loop({ status: "running", waiting });
  expect(() => decide(waits, { type: "answer", text: "go on" }, waiting.since)).toThrow(
    "ccw-loop resume loop-a --now",
  );
});

test("why tells how a loop ended", () => {
  const outcome = { code: "max_turns", message: "4 of 4 agent turns are used." };
  expect(selectNextAction(loop({ status: "failed", outcome })).reason).toBe(
    "The loop has ended, failed (max_turns): 4 of 4 agent turns are used.",
  );
  expect(selectNextAction(loop({ status: "user_exit" })).reason).toBe(
    "The loop was exited from the menu.",
  );
});

test("money has no bound unless one is given", () => {
  expect(limitReached(used({ cost_usd: 1e6 }))).toBeUndefined();
  expect(limitReached(used({}, { limits: { max_cost_usd: 0.01 } }))).toBeUndefined();
});

describe("how long a run of the tests may take", () => {
  const MINUTE = 60_000;
  const after = (took: readonly number[], said?: number) => {
    const commands = took.map((duration_ms) => ({ duration_ms }));
    const baseline = took.length > 0 ? { baseline: { commands } } : {};
    const limits = said === undefined ? {} : { limits: { test_timeout_ms: said } };
    const state = { ...loop(), ...baseline, ...limits } as unknown as LoopState;
    return [testTimeoutOf(state, 30 * MINUTE), roomTimeoutOf(state, 30 * MINUTE)];
  };

  test.each([
    { rule: "unknown", took: [], limits: [30, 30] },
    { rule: "of short tests: two minutes", took: [3000], limits: [2, 30] },
    { rule: "of longer ones: five times the baseline", took: [MINUTE, MINUTE], limits: [10, 30] },
    { rule: "of the longest, in a clean room too", took: [10 * MINUTE], limits: [50, 50] },
  ])("$rule", ({ took, limits }) => {
    expect(after(took)).toEqual(limits.map((minutes) => minutes * MINUTE));
  });

  test("as the operator says, everywhere", () => {
    expect(after([10 * MINUTE], 5000)).toEqual([5000, 5000]);
    expect(after([], 5000)).toEqual([5000, 5000]);
  });
});
