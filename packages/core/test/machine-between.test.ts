import { describe, expect, test } from "vitest";
import {
  exitCodeOf,
  type LoopCommand,
  type LoopEvent,
  replay,
  selectNextAction,
} from "../src/index.ts";
import {
  AT,
  after,
  begun,
  created,
  debugged,
  developed,
  done,
  failed,
  initialized,
  interrupted,
  planned,
  started,
  state,
  task,
  validated,
  waiting,
} from "./given.ts";

const cutOff = interrupted("DEVELOP");
const tree = (name: string): LoopEvent => ({ type: "workspace.measured", at: AT, tree: name });
const verify = (command: string): LoopCommand => ({
  type: "edit",
  changes: { settings: { verify: command } },
});

describe("the task of an action that was cut off", () => {
  const paused = planned(["a", "b"], begun("DEVELOP", "a"), cutOff, {
    type: "loop.paused",
    at: AT,
  });

  test("can be changed, and is still the next one", () => {
    const changes = { description: "better" };
    const edited = after(paused, { type: "edit_task", task_id: "a", changes });
    expect(edited.skill_state?.develop.tasks[0]).toMatchObject({ id: "a", description: "better" });
    expect(edited.action).toMatchObject({ name: "DEVELOP", task_id: "a" });
  });

  test("takes its action and the question of it along when it is removed", () => {
    const asked = replay([waiting({ prompt: "Which?" })], after(paused, { type: "start" }));
    const left = after(asked, { type: "remove_task", task_id: "a" });
    expect(left).not.toHaveProperty("action");
    expect(left).not.toHaveProperty("waiting");
    expect(left.skill_state).toMatchObject({ current_action: null, develop: { total: 1 } });
    expect(selectNextAction(left).action).toBe("DEVELOP");
  });

  test("leaves the action of another task alone when it is another one that is removed", () => {
    const left = after(paused, { type: "remove_task", task_id: "b" });
    expect(left.action).toMatchObject({ task_id: "a" });
  });
});

describe("after a failed VALIDATE", () => {
  const red = planned(["a"], developed("a"), validated(false));

  test("a test command that is corrected is tried, instead of debugging what the wrong one said", () => {
    expect(selectNextAction(red).action).toBe("DEBUG");
    expect(selectNextAction(after(red, verify("npm run tests"))).action).toBe("VALIDATE");
  });

  test("the same test command again changes nothing", () => {
    const before = state(created({ settings: { mode: "auto", verify: "npm test" } }));
    const same = replay([started, initialized("a"), developed("a"), validated(false)], before);
    expect(selectNextAction(after(same, verify("npm test"))).action).toBe("DEBUG");
  });
});

describe("the tree that was tested", () => {
  const green = (tree_after: string | null) =>
    planned(["a"], developed("a"), validated(true, { tree_after }));

  test("that nobody can name proves no tree that has a name", () => {
    expect(selectNextAction(replay([tree("tree-1")], green(null))).action).toBe("VALIDATE");
  });

  test("still proves itself", () => {
    expect(selectNextAction(replay([tree("tree-1")], green("tree-1"))).action).toBe("COMPLETE");
  });
});

describe("the menu", () => {
  const person = state(created(), started, {
    ...initialized("a"),
    ...done({ action: "INIT", mode: "interactive", tasks: [task("a")] }),
  });
  const asked = replay([waiting({ menu: true, options: ["debug"] })], person);

  test("takes what has become possible since it was shown", () => {
    const chosen = after(asked, { type: "answer", text: "develop" });
    expect(selectNextAction(chosen).action).toBe("DEVELOP");
  });

  test("is gone when the loop is told to choose by itself", () => {
    const alone = after(asked, { type: "edit", changes: { settings: { mode: "auto" } } });
    expect(selectNextAction(alone).action).toBe("DEVELOP");
  });

  test("comes back when the chosen work is gone", () => {
    const chosen = after(asked, { type: "choose", action: "DEVELOP" });
    const empty = after(chosen, { type: "remove_task", task_id: "a" });
    expect(selectNextAction(empty)).toMatchObject({ action: "MENU", rule: 3 });
  });
});

test("an edit of the test command ends the question that VALIDATE asked, and no other one", () => {
  const validating = planned(["a"], developed("a"), begun("VALIDATE"), waiting());
  expect(after(validating, verify("make test"))).not.toHaveProperty("waiting");
  const developing = planned(["a", "b"], begun("DEVELOP", "a"), cutOff, waiting());
  expect(after(developing, verify("make test")).waiting?.kind).toBe("input");
});

test("a fix of a fix repairs the task that began it all", () => {
  const first = task("fix-001", { fixes: "a" });
  const second = task("fix-002", { fixes: "fix-001" });
  const green = planned(
    ["a"],
    failed("DEVELOP", "a"),
    debugged({ confirmed_hypothesis: "H1", fix_tasks: [first] }),
    failed("DEVELOP", "fix-001"),
    debugged({ confirmed_hypothesis: "H1", fix_tasks: [second] }),
    developed("fix-002"),
  );
  const tasks = green.skill_state?.develop.tasks.map((t) => [t.id, t.status]);
  expect(tasks).toEqual([
    ["a", "completed"],
    ["fix-001", "completed"],
    ["fix-002", "completed"],
  ]);
});

test("a loop that nothing helps needs a person: 4, in whatever status it waits", () => {
  const stuck = planned(["a", "b"], waiting({ kind: "no_progress" }));
  expect(exitCodeOf(stuck)).toBe(4);
  expect(exitCodeOf(after(stuck, { type: "pause" }))).toBe(4);
  expect(exitCodeOf(after(stuck, { type: "stop" }))).toBe(1);
});

test.each([
  ["max_iterations", 3],
  ["max_duration", 3],
  ["max_turns", 3],
  ["budget_exhausted", 3],
  ["consecutive_failures", 3],
  ["no_progress", 3],
  ["stopped_by_user", 1],
  ["tasks_failed", 1],
  ["agent_unauthorized", 5],
])("a loop that ended by %s has exit code %i", (code, exit) => {
  const ended: LoopEvent = { type: "loop.failed", at: AT, outcome: { code, message: "" } };
  expect(exitCodeOf(planned(["a", "b"], ended))).toBe(exit);
});

test("75 is the exit code of a loop that goes on by itself: not of a paused one", () => {
  const limited = planned(["a", "b"], waiting({ kind: "usage_limit" }));
  expect(exitCodeOf(limited)).toBe(75);
  expect(exitCodeOf(after(limited, { type: "pause" }))).toBe(4);
});
