import { describe, expect, test } from "vitest";
import {
  exitCodeOf,
  type LoopEvent,
  type LoopState,
  outcomeOf,
  selectNextAction,
} from "../src/index.ts";
import {
  AT,
  begun,
  created,
  debugged,
  developed,
  done,
  failed,
  initialized,
  interrupted,
  objection,
  planned,
  started,
  state,
  task,
  validated,
} from "./given.ts";

const fix = task("fix-001", { fixes: "H1" });
const confirmed = debugged({ confirmed_hypothesis: "H1", fix_tasks: [fix] });

const red = [initialized("a"), developed("a"), validated(false)];
const edited: LoopEvent = { type: "workspace.measured", at: AT, tree: "tree-2" };

/** The number of the rule, what happened in a running loop, and what must come next. */
const RULES: [number, LoopEvent[], string | null][] = [
  [1, [{ type: "loop.paused", at: AT }], null],
  [1, [{ type: "loop.stopped", at: AT }], null],
  [2, [], "INIT"],
  [2, [begun("INIT")], "INIT"],
  [3, [done({ action: "INIT", mode: "interactive", tasks: [task("a")] })], "MENU"],
  [5, [initialized("a")], "DEVELOP"],
  [5, [initialized("a"), begun("DEVELOP", "a")], "DEVELOP"],
  [5, [initialized("a", "b"), developed("a")], "DEVELOP"],
  [5, [initialized("a", "b"), failed("DEVELOP", "a")], "DEVELOP"],
  [6, [initialized("a"), failed("DEVELOP", "a")], "DEBUG"],
  [5, [initialized("a"), failed("DEVELOP", "a"), debugged()], "DEVELOP"],
  [7, [initialized("a"), developed("a")], "VALIDATE"],
  [7, [initialized("a"), developed("a"), begun("VALIDATE")], "VALIDATE"],
  [8, [initialized("a"), developed("a"), validated(true)], "COMPLETE"],
  [9, [...red], "DEBUG"],
  [9, [...red, debugged()], "DEBUG"],
  [7, [...red, debugged({ files_changed: ["a.js"] })], "VALIDATE"],
  [5, [...red, confirmed], "DEVELOP"],
  [7, [initialized("a"), developed("a"), validated(true), edited], "VALIDATE"],
];

test.each(RULES)("rule %i after %j selects %s", (rule, events, action) => {
  expect(selectNextAction(state(created(), started, ...events))).toMatchObject({ rule, action });
});

test("a loop that was not started does nothing", () => {
  expect(selectNextAction(state(created()))).toMatchObject({ rule: 1, action: null });
});

test("a selection tells why: the guards it looked at, with their values", () => {
  const { guards, reason } = selectNextAction(planned(["a", "b"]));
  expect(reason).toBe("2 tasks are open.");
  expect(guards).toEqual([
    { name: "status", value: "running" },
    { name: "waiting", value: null },
    { name: "limit", value: null },
    { name: "initialized", value: true },
    { name: "mode", value: "auto" },
    { name: "chosen_action", value: null },
    { name: "open_tasks", value: 2 },
    { name: "stalled", value: 0 },
    { name: "idle", value: 0 },
    { name: "max_stalled", value: 15 },
    { name: "stall_level", value: "none" },
  ]);
});

describe("a state written by another tool", () => {
  test("that claims a passed validation without a receipt is validated again", () => {
    const before = planned(["a"], developed("a"));
    const skill = before.skill_state;
    if (!skill) throw new Error("not initialized");
    const claimed: LoopState = {
      ...before,
      skill_state: { ...skill, validate: { ...skill.validate, passed: true, stale: false } },
    };
    expect(selectNextAction(claimed).action).toBe("VALIDATE");
  });
});

test("a proof at the limit still completes", () => {
  const events = [initialized("a"), developed("a"), validated(true)];
  const before = state(created({ max_iterations: 2 }), started, ...events);
  expect(selectNextAction(before).rule).toBe(4);
  expect(outcomeOf(before)).toMatchObject({ status: "completed", code: "proven" });
});

test("iterations are executed DEVELOP, DEBUG and VALIDATE, failed ones too; nothing else", () => {
  const after = state(
    created(),
    started,
    begun("INIT"),
    initialized("a"),
    begun("DEVELOP", "a"),
    interrupted("DEVELOP"),
    begun("DEVELOP", "a", 2),
    failed("DEVELOP", "a"),
    debugged(),
    validated(false),
  );
  expect(after.current_iteration).toBe(3);
});

test("a task that fails again after DEBUG is not retried for ever, and its loop is not completed", () => {
  const twice = [failed("DEVELOP", "a"), debugged(), failed("DEVELOP", "a"), debugged()];
  const before = planned(["a"], ...twice, validated(true));
  expect(selectNextAction(before)).toMatchObject({ action: "COMPLETE", rule: 8 });
  expect(outcomeOf(before)).toMatchObject({ status: "failed", code: "tasks_failed" });
  expect(exitCodeOf({ ...before, status: "failed", outcome: outcomeOf(before) })).toBe(1);
});

test("open objections are told as the reason of COMPLETE", () => {
  const objected = planned(["a"], developed("a"), validated(true, { objections: [objection()] }));
  expect(selectNextAction(objected)).toMatchObject({
    action: "COMPLETE",
    reason: "The tests passed, but a person has to judge what speaks against it.",
    guards: expect.arrayContaining([{ name: "open_objections", value: 1 }]),
  });
});

test("a completed loop that is opened again is proven by what is asked then", () => {
  const outcome = { code: "proven", message: "" };
  const completed: LoopEvent = { type: "loop.completed", at: AT, outcome };
  const resumed: LoopEvent = { type: "loop.resumed", at: AT, reopened: true };
  const again = planned(["a"], developed("a"), validated(true), completed, resumed);
  expect(selectNextAction(again).action).toBe("VALIDATE");
});
