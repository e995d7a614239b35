import { describe, expect, test } from "vitest";
import {
  Baseline,
  Checkpoint,
  checkpointOf,
  forkedState,
  hasPassed,
  type LoopEvent,
  type RecordedEvent,
  replay,
  rewoundState,
  stateAtCheckpoint,
  timelineOf,
} from "../src/index.ts";
import { AT, created, developed, initialized, receipt, started, validated } from "./given.ts";

const made = (n: number, commit: string, action: Checkpoint["action"]): LoopEvent => ({
  type: "checkpoint.made",
  at: AT,
  checkpoint: Checkpoint.parse({ n, at: AT, action, commit, tree: `tree-${commit}`, files: n }),
});
const tokens = { input_tokens: 5, cached_input_tokens: 0, output_tokens: 5, total_tokens: 10 };
const attached: LoopEvent = { type: "agent.attached", at: AT, driver: "codex", session_id: "s-1" };
const turn = (turn_id: string): LoopEvent => ({
  type: "turn.completed",
  at: AT,
  ...tokens,
  turn_id,
});

const EVENTS: LoopEvent[] = [
  created(),
  started,
  made(0, "c0", null),
  attached,
  turn("t-1"),
  initialized("a", "b"),
  made(1, "c1", "INIT"),
  turn("t-2"),
  developed("a"),
  made(2, "c2", "DEVELOP"),
  turn("t-3"),
  developed("b"),
  made(3, "c3", "DEVELOP"),
  validated(true),
  made(4, "c4", "VALIDATE"),
  { type: "loop.completed", at: AT, outcome: { code: "proven", message: "done" } },
];
const recorded = (events: LoopEvent[]): RecordedEvent[] =>
  events.map((event, n) => ({ revision: n + 1, actor: "x", event }));
const now = replay(EVENTS);

describe("going back", () => {
  const target = checkpointOf(now, 2);
  const then = stateAtCheckpoint(recorded(EVENTS), target, now);

  test("gives the state behind the checkpoint, whatever came later", () => {
    expect(then).toEqual(replay(EVENTS.slice(0, 10)));
  });

  test("pauses the loop with the files to restore; what was used stays used", () => {
    const back = rewoundState({ ...now, title: "New title" }, then, target);
    expect(back.skill_state).toEqual(then.skill_state);
    expect(back.checkpoints?.map(({ n }) => n)).toEqual([0, 1, 2]);
    expect(back).toMatchObject({
      status: "paused",
      title: "New title",
      current_iteration: then.current_iteration,
      workspace: { tree: "tree-c2", restoring: "c2" },
      usage: { turns: 3, total_tokens: 30 },
      agent: { session_id: null, fork_of: { session_id: "s-1", turn_id: "t-2" } },
    });
    for (const gone of ["outcome", "completed_at", "waiting", "action"])
      expect(back).not.toHaveProperty(gone);
  });

  test("and on again: checkpoints behind it replace the old ones, and each is found by its own content", () => {
    const back: LoopEvent = {
      type: "loop.rewound",
      at: AT,
      to: 2,
      state: rewoundState(now, then, target),
    };
    const on = [...EVENTS, back, developed("b"), made(3, "c9", "DEVELOP")];
    const state = replay(on);
    expect(state.checkpoints?.map(({ commit }) => commit)).toEqual(["c0", "c1", "c2", "c9"]);
    expect(stateAtCheckpoint(recorded(on), checkpointOf(state, 3), state).status).toBe("paused");
  });

  test("brings no proof that the newest state does not have", () => {
    const baseline = {
      ...{ at: AT, tree: "tree-1", command: "npm test", reason: "" },
      counts: { total: 1, passed: 0, failed: 1, skipped: 0 },
    };
    const forged = {
      ...replay(EVENTS),
      receipts: [receipt(true, { id: "forged" })],
      baseline: Baseline.parse(baseline),
      accepted: ["nothing_changed"],
      checkpoints: [Checkpoint.parse({ n: 0, at: AT, action: null, commit: "forged", tree: "t" })],
    };
    const told: LoopEvent[] = [
      { type: "external.edited", at: AT, state: forged },
      made(4, "c4", "VALIDATE"),
    ];
    const then = stateAtCheckpoint(recorded(told), checkpointOf(now, 4), now);
    expect(then).not.toHaveProperty("baseline");
    expect(then).toMatchObject({ receipts: [], accepted: [], checkpoints: [{ commit: "c4" }] });
    expect(hasPassed(then)).toBe(false);
    const honest = stateAtCheckpoint(recorded(EVENTS), checkpointOf(now, 4), now);
    expect(honest.receipts).toEqual(now.receipts);
    expect(hasPassed(honest)).toBe(false);
  });

  test("to a number that is not there names those that are", () => {
    expect(() => checkpointOf(now, 9)).toThrow(/no checkpoint 9\. It has 0 to 4\./);
    expect(() => checkpointOf({ ...now, checkpoints: [] }, 0)).toThrow(/none yet/);
    const lost = { ...target, commit: "gone" };
    expect(() => stateAtCheckpoint(recorded(EVENTS), lost, now)).toThrow(/journal does not hold/);
  });

  test("a fork is a loop of its own that has used nothing", () => {
    const given = { id: "fork", title: "Another way", at: AT, path: "/w", branch: "ccw-loop/fork" };
    const fork = forkedState(then, target, given);
    expect(fork).toMatchObject({
      ...{ loop_id: "fork", title: "Another way", status: "paused" },
      workspace: { path: "/w", branch: "ccw-loop/fork" },
      agent: { session_id: null, fork_of: { turn_id: "t-2" } },
    });
    expect(fork.skill_state).toEqual(then.skill_state);
    expect(fork).not.toHaveProperty("usage");
    expect(fork).not.toHaveProperty("revision");
  });
});

test("a fork goes back to where it began, and no further", () => {
  const target = checkpointOf(now, 2);
  const then = stateAtCheckpoint(recorded(EVENTS), target, now);
  const given = { id: "fork", title: "t", at: AT, path: "/w", branch: "ccw-loop/fork" };
  const fork: LoopEvent = { type: "loop.created", at: AT, loop: forkedState(then, target, given) };
  const since = [fork, developed("b"), made(3, "f3", "DEVELOP")];
  const journal = recorded(since);
  const begun = replay(since);
  expect(stateAtCheckpoint(journal, target, begun)).toEqual(replay([fork]));
  expect(
    stateAtCheckpoint(journal, Checkpoint.parse({ ...target, n: 3, commit: "f3" }), begun),
  ).toMatchObject({
    current_iteration: 2,
  });
  for (const n of [0, 1]) {
    expect(() => stateAtCheckpoint(journal, checkpointOf(now, n), begun)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringContaining("began at checkpoint 2"),
      }),
    );
  }
});

test("a conversation that began is no copy to be made any more, and names its last turn", () => {
  const fork = { driver: "codex", session_id: null, fork_of: { session_id: "s-1", turn_id: null } };
  const begun = replay([attached], { ...now, agent: fork });
  expect(begun.agent).toEqual({ driver: "codex", session_id: "s-1" });
  expect(replay([turn("t-9"), attached], begun).agent).toMatchObject({ turn_id: "t-9" });
  const restarted: LoopEvent = { ...attached, session_id: "s-2" } as LoopEvent;
  expect(replay([turn("t-9"), restarted], begun).agent).not.toHaveProperty("turn_id");
});

test.each<[string, string[], string[]]>([
  ["nothing was rewound", ["1", "2", "3"], ["1", "2", "3"]],
  ["rewound to 1", ["1", "2", "-", "3", "to 1"], ["1", "x", "x", "x"]],
  ["and gone on", ["1", "2", "-", "3", "to 1", "2", "-"], ["1", "x", "x", "x", "2", "-"]],
  ["twice", ["1", "2", "3", "to 1", "2", "to 1", "2"], ["1", "x", "x", "x", "2"]],
  ["to the start, and again", ["1", "-", "2", "to 0", "1"], ["x", "x", "x", "1"]],
  ["with an end without a checkpoint", ["1", "2", "-", "to 1"], ["1", "x", "x"]],
  ["what changed from outside stays", ["1", "o", "2", "o", "to 1"], ["1", "o", "x", "o"]],
])("the timeline says what a rewind took back: %s", (_, steps, expected) => {
  const outside: LoopEvent = {
    ...{ type: "workspace.changed", at: AT, from: "a", tree: "b", files: [], total: 1 },
    ...{ driven: true, outdates: false, start: null, base_tree: null },
  };
  const state = replay([created()]);
  const events = steps.flatMap((step): LoopEvent[] => {
    const back = /^to (.)$/.exec(step)?.[1];
    if (back !== undefined) return [{ type: "loop.rewound", at: AT, to: Number(back), state }];
    if (step === "o") return [outside];
    const action = developed("a");
    return step === "-" ? [action] : [action, made(Number(step), `c${step}`, "DEVELOP")];
  });
  const shown = timelineOf(recorded(events)).map(({ rewound, outcome, checkpoint }) =>
    rewound ? "x" : outcome === "outside" ? "o" : String(checkpoint ?? "-"),
  );
  expect(shown).toEqual(expected);
});

test("the timeline has every action with what it changed, said and used", () => {
  const cut: LoopEvent[] = [
    { type: "action.started", at: AT, action: "DEVELOP", attempt: 1, task_id: "a", tree: "t" },
    turn("t-2"),
    { type: "action.interrupted", at: AT, action: "DEVELOP", reason: "pause", active_ms: 5 },
  ];
  const events = [...EVENTS.slice(0, 7), ...cut, ...EVENTS.slice(7)];
  expect(timelineOf(recorded(events))).toMatchObject([
    { checkpoint: 1, action: "INIT", tokens: 10, turns: 1, diffstat: { files: 1 } },
    { checkpoint: null, action: "DEVELOP", outcome: "interrupted", message: "pause", task_id: "a" },
    { checkpoint: 2, action: "DEVELOP", outcome: "completed", tokens: 10 },
    { checkpoint: 3, action: "DEVELOP", diffstat: { files: 3 } },
    { checkpoint: 4, action: "VALIDATE", tests: { total: 2, passed: 2, passed_overall: true } },
  ]);
});
