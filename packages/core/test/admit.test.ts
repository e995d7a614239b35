import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admitEdit,
  admitTask,
  DevelopTask,
  LoopState,
  outcomeOf,
  restoreState,
  tasksOf,
} from "../src/index.ts";
import { loopPair } from "./arbitrary-skill.ts";
import {
  AT,
  created,
  developed,
  initialized,
  loop,
  receipt,
  state,
  task,
  validated,
} from "./given.ts";

const ours = state(created({ status: "running" }), initialized("a", "b"), developed("a"));

/** What a file says, in place of what ours says. */
const edited = (change: Record<string, unknown>) =>
  admitEdit({ ...structuredClone(ours), ...change }, ours, ours);
const skill = (change: object) => ({ skill_state: { ...ours.skill_state, ...change } });

describe("an edit beside a history", () => {
  test.each([
    ["receipts", { receipts: [receipt(true)] }],
    ["accepted", { accepted: ["nothing_changed"] }],
    ["checkpoints", { checkpoints: [] }],
    ["current_iteration", { current_iteration: 0 }],
    ["usage", { usage: { ...ours.usage, turns: 5 } }],
    ["waiting", { waiting: { kind: "input", since: AT } }],
    ["workspace", { workspace: { tree: null, path: "/elsewhere" } }],
    ["settings.waive_tests", { settings: { ...ours.settings, waive_tests: "because" } }],
    ["settings.of_tomorrow", { settings: { ...ours.settings, of_tomorrow: true } }],
    ["skill_state", { skill_state: null }],
    ["skill_state.chosen_action", skill({ chosen_action: "COMPLETE" })],
    [
      "skill_state.validate",
      skill({ validate: { ...ours.skill_state?.validate, passed: true, stale: false } }),
    ],
    ["skill_state.develop.tasks", skill({ develop: { ...ours.skill_state?.develop, tasks: 7 } })],
  ])("%s is not its to say", (path, change) => {
    const { value, refused } = edited(change);
    expect(refused).toEqual([path]);
    expect(LoopState.parse(value)).toEqual(ours);
  });

  test("says what is to be done, and which task a person did", () => {
    const tasks = [
      task("new", { status: "completed", files_changed: ["x"], attempts: 3 }),
      task("b", { status: "completed", description: "do b well", debugged: true }),
    ];
    const change = {
      title: "Theirs",
      limits: { max_turns: 3 },
      their_field: { kept: true },
      ...skill({ develop: { ...ours.skill_state?.develop, tasks } }),
    };
    const { value, refused } = edited(change);
    expect(value).toMatchObject({
      title: "Theirs",
      limits: { max_turns: 3 },
      their_field: { kept: true },
    });
    const [added, done] = tasksOf(LoopState.parse(value));
    expect(added).toEqual(task("new", { status: "completed" }));
    expect(done).toMatchObject({ status: "completed", description: "do b well" });
    expect(done).not.toHaveProperty("debugged");
    expect(refused).toEqual([
      "skill_state.develop.tasks[new].files_changed",
      "skill_state.develop.tasks[new].attempts",
      "skill_state.develop.tasks[b].debugged",
    ]);
  });

  test("may propose a cause, but neither judge one nor take one out", () => {
    const idea = { id: "H1", description: "it rounds", status: "rejected", evidence: { seen: 1 } };
    const known = LoopState.parse({ ...ours, ...skill({ debug: { hypotheses: [idea] } }) });
    const theirs = {
      ...known,
      skill_state: { ...known.skill_state, debug: { hypotheses: [{ ...idea, id: "H2" }] } },
    };
    const { value, refused } = admitEdit(theirs, known, known);
    expect(LoopState.parse(value).skill_state?.debug.hypotheses).toMatchObject([
      { ...idea },
      { id: "H2", description: "it rounds", status: "pending", evidence: null },
    ]);
    expect(refused).toEqual([
      "skill_state.debug.hypotheses[H2].status",
      "skill_state.debug.hypotheses[H2].evidence",
    ]);
  });

  test("is not refused what it only repeats of where it was made from", () => {
    const base = { ...ours, receipts: [receipt(false)] };
    const { value, refused } = admitEdit({ ...base }, ours, base);
    expect(refused).toEqual([]);
    expect(value).not.toHaveProperty("receipts");
  });
});

test("whatever two loops are, an edit leaves what was measured as it is", () => {
  fc.assert(
    fc.property(loopPair, loopPair, ({ nasty: theirs }, { nasty: known }) => {
      const { value } = admitEdit({ ...theirs }, known, null);
      const { skill_state } = LoopState.parse(value);
      expect(skill_state?.validate).toEqual(known.skill_state?.validate);
      expect(value.accepted).toEqual(known.accepted);
      const judged = (state: LoopState["skill_state"]) =>
        (state?.debug.hypotheses ?? [])
          .filter(({ status }) => status !== "pending")
          .map(({ id }) => id);
      expect(judged(skill_state)).toEqual(judged(known.skill_state));
    }),
    { numRuns: 200 },
  );
});

describe("a loop out of a file alone", () => {
  const proven = LoopState.parse({
    ...state(created({ status: "running" }), initialized("a"), developed("a"), validated(true)),
    status: "completed",
    completed_at: AT,
    outcome: { code: "proven", message: "done" },
    accepted: ["nothing_changed"],
    settings: { mode: "auto", known_red: ["*"] },
  });

  test("is not completed, and its tests have to run again", () => {
    const { value, refused } = restoreState(proven);
    expect(outcomeOf(proven).status).toBe("completed");
    expect(outcomeOf(value).status).toBe("failed");
    expect(value).toMatchObject({
      status: "paused",
      current_iteration: proven.current_iteration,
      usage: proven.usage,
      settings: { mode: "auto" },
      skill_state: {
        develop: proven.skill_state?.develop,
        validate: { stale: true, passed: false },
      },
    });
    for (const gone of ["completed_at", "outcome", "receipts", "accepted"])
      expect(value).not.toHaveProperty(gone);
    expect(refused).toEqual(
      expect.arrayContaining(["status", "receipts", "accepted", "settings.known_red"]),
    );
  });

  test("keeps what is known of it otherwise", () => {
    const known = { ...proven, status: "running" as const, receipts: [receipt(true)] };
    const { value } = restoreState({ ...proven, title: "Later", receipts: [] }, known);
    expect(value).toMatchObject({
      title: "Later",
      receipts: known.receipts,
      accepted: known.accepted,
      skill_state: { validate: { ...known.skill_state?.validate, stale: true } },
    });
  });

  test("is never proven, whatever it says", () => {
    fc.assert(
      fc.property(loopPair, ({ nasty }) => {
        const { value } = restoreState({ ...nasty, receipts: [receipt(true)] });
        expect(value.status).not.toBe("completed");
        expect(outcomeOf(value).status).toBe("failed");
        expect(value.skill_state?.validate).toMatchObject({ stale: true, test_results: [] });
      }),
      { numRuns: 200 },
    );
  });

  test("keeps tasks that share an id", () => {
    const twice = loop({ tasks: [task("a"), task("a", { status: "completed" })] });
    expect(restoreState(twice)).toEqual({ value: twice, refused: [] });
  });

  test("that says nothing a file may not say is the same, and paused by nobody", () => {
    const begun = loop({ status: "created", tasks: [task("a")] });
    expect(restoreState(begun)).toEqual({ value: begun, refused: [] });
  });
});

test("a new task out of a file was begun by nobody", () => {
  const said = task("a", {
    attempts: 2,
    debugged: true,
    claimed_files: ["x"],
    files_changed: ["y"],
  });
  expect(admitTask(said)).toEqual(task("a"));
  expect(admitTask(DevelopTask.parse({ ...said, _effort: "small" }))).toMatchObject({
    _effort: "small",
  });
});
