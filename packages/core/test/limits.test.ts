import { describe, expect, test } from "vitest";
import { type LoopState, limitReached, outcomeOf, reopenCommand, Usage } from "../src/index.ts";
import { loop, task } from "./given.ts";

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
      "240 of 240 minutes of work are used. Left: 2 tasks open (b, c). Go on with: ccw-loop resume loop-a --reopen --max-duration 8h",
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

test("money has no bound unless one is given", () => {
  expect(limitReached(used({ cost_usd: 1e6 }))).toBeUndefined();
  expect(limitReached(used({}, { limits: { max_cost_usd: 0.01 } }))).toBeUndefined();
});
