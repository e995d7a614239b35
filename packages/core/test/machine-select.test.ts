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
  failed,
  initialized,
  objection,
  started,
  state,
  task,
  validated,
} from "./given.ts";

const fix = task("fix-001", { fixes: "H1" });
const confirmed = debugged({ confirmed_hypothesis: "H1", fix_tasks: [fix] });

/** The number of the rule, what happened, and what must come next. */
const RULES: [number, LoopEvent[], string | null][] = [
  [1, [created()], null],
  [1, [created(), started, { type: "loop.paused", at: AT }], null],
  [1, [created(), started, { type: "loop.stopped", at: AT }], null],
  [2, [created(), started], "INIT"],
  [2, [created(), started, begun("INIT")], "INIT"],
  [3, [created({ settings: { mode: "interactive" } }), started, interactive("a")], "MENU"],
  [4, [created({ max_iterations: 1 }), started, initialized("a", "b"), developed("a")], "COMPLETE"],
  [5, [created(), started, initialized("a")], "DEVELOP"],
  [5, [created(), started, initialized("a"), begun("DEVELOP", "a")], "DEVELOP"],
  [5, [created(), started, initialized("a", "b"), developed("a")], "DEVELOP"],
  [5, [created(), started, initialized("a", "b"), failed("DEVELOP", "a")], "DEVELOP"],
  [6, [created(), started, initialized("a"), failed("DEVELOP", "a")], "DEBUG"],
  [5, [created(), started, initialized("a"), failed("DEVELOP", "a"), debugged()], "DEVELOP"],
  [7, [created(), started, initialized("a"), developed("a")], "VALIDATE"],
  [7, [created(), started, initialized("a"), developed("a"), begun("VALIDATE")], "VALIDATE"],
  [8, [created(), started, initialized("a"), developed("a"), validated(true)], "COMPLETE"],
  [9, [created(), started, initialized("a"), developed("a"), validated(false)], "DEBUG"],
  [
    9,
    [created(), started, initialized("a"), developed("a"), validated(false), debugged()],
    "DEBUG",
  ],
  [
    7,
    [
      created(),
      started,
      initialized("a"),
      developed("a"),
      validated(false),
      debugged({ files_changed: ["a.js"] }),
    ],
    "VALIDATE",
  ],
  [
    5,
    [created(), started, initialized("a"), developed("a"), validated(false), confirmed],
    "DEVELOP",
  ],
  [
    7,
    [
      created(),
      started,
      initialized("a"),
      developed("a"),
      validated(true),
      { type: "workspace.measured", at: AT, tree: "tree-2" },
    ],
    "VALIDATE",
  ],
];

function interactive(...ids: string[]): LoopEvent {
  const tasks = ids.map((id) => task(id));
  const output = { action: "INIT" as const, mode: "interactive" as const, tasks };
  return { type: "action.completed", at: AT, action: "INIT", output, active_ms: 1, message: "" };
}

test.each(RULES)("rule %i after %j selects %s", (rule, events, action) => {
  expect(selectNextAction(state(...events))).toMatchObject({ rule, action });
});

test("a selection tells why: the guards it looked at, with their values", () => {
  const { guards, reason } = selectNextAction(state(created(), started, initialized("a", "b")));
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
    const before = state(created(), started, initialized("a"), developed("a"));
    const skill = before.skill_state;
    if (!skill) throw new Error("not initialized");
    const claimed: LoopState = {
      ...before,
      skill_state: { ...skill, validate: { ...skill.validate, passed: true, stale: false } },
    };
    expect(selectNextAction(claimed).action).toBe("VALIDATE");
  });
});

describe("limits", () => {
  const cases: [string, Partial<LoopState>][] = [
    ["max_iterations", { current_iteration: 10 }],
    ["max_duration", { usage: usage({ active_ms: 5 * 60 * 60 * 1000 }) }],
    ["max_turns", { usage: usage({ turns: 7 }), limits: { max_turns: 7 } }],
    ["budget_exhausted", { usage: usage({ total_tokens: 100 }), limits: { max_tokens: 100 } }],
    ["consecutive_failures", { usage: usage({ consecutive_failures: 5 }) }],
  ];

  function usage(changes: object) {
    const zero = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    return { turns: 0, active_ms: 0, consecutive_failures: 0, ...zero, ...changes };
  }

  test.each(cases)("%s selects COMPLETE and ends failed with exit code 3", (code, changes) => {
    const before = { ...state(created(), started, initialized("a")), ...changes };
    expect(selectNextAction(before)).toMatchObject({ action: "COMPLETE", rule: 4 });
    expect(outcomeOf(before)).toMatchObject({ status: "failed", code });
    const after = { ...before, status: "failed" as const, outcome: outcomeOf(before) };
    expect(exitCodeOf(after)).toBe(3);
  });

  test("a proof at the limit still completes", () => {
    const events = [initialized("a"), developed("a"), validated(true)];
    const before = state(created({ max_iterations: 2 }), started, ...events);
    expect(selectNextAction(before).rule).toBe(4);
    expect(outcomeOf(before)).toMatchObject({ status: "completed", code: "proven" });
  });
});

test("iterations are executed DEVELOP, DEBUG and VALIDATE, failed ones too; nothing else", () => {
  const after = state(
    created(),
    started,
    begun("INIT"),
    initialized("a"),
    begun("DEVELOP", "a"),
    { type: "action.interrupted", at: AT, action: "DEVELOP", reason: "pause", active_ms: 1 },
    begun("DEVELOP", "a", 2),
    failed("DEVELOP", "a"),
    debugged(),
    validated(false),
  );
  expect(after.current_iteration).toBe(3);
});

test("a task that fails again after DEBUG is not retried for ever, and its loop is not completed", () => {
  const twice = [failed("DEVELOP", "a"), debugged(), failed("DEVELOP", "a"), debugged()];
  const before = state(created(), started, initialized("a"), ...twice, validated(true));
  expect(selectNextAction(before)).toMatchObject({ action: "COMPLETE", rule: 8 });
  expect(outcomeOf(before)).toMatchObject({ status: "failed", code: "tasks_failed" });
  expect(exitCodeOf({ ...before, status: "failed", outcome: outcomeOf(before) })).toBe(1);
});

test("open objections are told as the reason of COMPLETE", () => {
  const done = [created(), started, initialized("a"), developed("a")];
  const objected = state(...done, validated(true, { objections: [objection()] }));
  expect(selectNextAction(objected)).toMatchObject({
    action: "COMPLETE",
    reason: "The tests passed, but a person has to judge what speaks against it.",
    guards: expect.arrayContaining([{ name: "open_objections", value: 1 }]),
  });
});

test("a completed loop that is opened again is proven by what is asked then", () => {
  const done = [created(), started, initialized("a"), developed("a"), validated(true)];
  const outcome = { code: "proven", message: "" };
  const completed: LoopEvent = { type: "loop.completed", at: AT, outcome };
  const resumed: LoopEvent = { type: "loop.resumed", at: AT, reopened: true };
  expect(selectNextAction(state(...done, completed, resumed)).action).toBe("VALIDATE");
});
