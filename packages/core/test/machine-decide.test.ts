import { describe, expect, test } from "vitest";
import {
  ACCEPTED_FROM,
  decide,
  evolve,
  LoopCommand,
  LoopError,
  type LoopState,
  LoopStatus,
  menuOf,
  replay,
} from "../src/index.ts";
import {
  AT,
  after,
  begun,
  created,
  developed,
  initialized,
  interrupted,
  loop,
  planned,
  started,
  state,
  task,
  validated,
  waiting,
} from "./given.ts";

const ALL = LoopStatus.options;
const PLAIN = ["start", "pause", "resume", "stop", "exit"] as const;

/** The table of statuses: command → from → to. */
const TABLE = {
  start: { from: ["created", "paused"], to: "running" },
  pause: { from: ["running"], to: "paused" },
  resume: { from: ["paused", "user_exit"], to: "running" },
  stop: { from: ["created", "running", "paused"], to: "failed" },
  exit: { from: ["running", "paused"], to: "user_exit" },
} as const;

function code(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof LoopError) return error.code;
    throw error;
  }
  return "accepted";
}

describe.each(PLAIN)("%s", (type) => {
  test.each(ALL)("from %s", (status) => {
    const before = loop({ status });
    const { from, to } = TABLE[type];
    if ((from as readonly string[]).includes(status)) {
      const [event] = decide(before, { type }, AT);
      expect(event && evolve(before, event).status).toBe(to);
    } else {
      expect(code(() => after(before, { type }))).toBe("invalid_transition");
    }
  });
});

test("every command names the statuses it is accepted from", () => {
  const commands = LoopCommand.options.map((option) => option.shape.type.value);
  expect(Object.keys(ACCEPTED_FROM).sort()).toEqual([...commands].sort());
});

test("a refusal is the control plane's sentence and tells what would be accepted", () => {
  expect(() => decide(loop(), { type: "pause" }, AT)).toThrow(
    "Cannot pause loop with status: created",
  );
});

test("stop is failed on disk and told apart by its outcome", () => {
  const before = state(created(), started);
  const next = after(before, { type: "stop" });
  expect(next).toMatchObject({
    status: "failed",
    failure_reason: "Manually stopped by user",
    outcome: { code: "stopped_by_user" },
    completed_at: AT,
  });
});

describe("reopening", () => {
  const limited = loop({
    status: "failed",
    current_iteration: 10,
    outcome: { code: "max_iterations", message: "10 of 10" },
    failure_reason: "10 of 10",
    completed_at: AT,
  });

  test("needs a higher limit than the one that was reached", () => {
    expect(code(() => after(limited, { type: "resume", reopen: true }))).toBe("invalid_transition");
    const changes = { max_iterations: 20 };
    const next = after(limited, { type: "resume", reopen: true, changes });
    expect(next).toMatchObject({ status: "running", max_iterations: 20 });
    expect(next).not.toHaveProperty("outcome");
    expect(next).not.toHaveProperty("failure_reason");
    expect(next).not.toHaveProperty("completed_at");
  });

  test("is refused without reopen", () => {
    expect(code(() => after(limited, { type: "resume" }))).toBe("invalid_transition");
  });

  test("of a completed loop needs new work", () => {
    const done = loop({ status: "completed", tasks: [task("a", { status: "completed" })] });
    expect(code(() => after(done, { type: "resume", reopen: true }))).toBe("invalid_transition");
    const more = after(done, { type: "add_task", task: task("b") });
    expect(code(() => after(more, { type: "resume", reopen: true }))).toBe("accepted");
  });

  test("forgives the failures in a row that ended it", () => {
    const usage = { consecutive_failures: 5 } as LoopState["usage"];
    const before = loop({ status: "failed", ...(usage ? { usage } : {}) });
    const next = after(before, { type: "resume", reopen: true });
    expect(next.usage?.consecutive_failures).toBe(0);
  });
});

describe("tasks", () => {
  const three = planned(["a", "b", "c"]);
  const working = planned(["a", "b"], begun("DEVELOP", "a"));

  test("are added once, before and after INIT, to the one list", () => {
    const early = loop();
    const added = after(early, { type: "add_task", task: task("x") });
    expect(added.tasks?.map((t) => t.id)).toEqual(["x"]);
    expect(code(() => after(added, { type: "add_task", task: task("x") }))).toBe("invalid_input");
    const late = after(three, { type: "add_task", task: task("d") });
    expect(late.skill_state?.develop).toMatchObject({ total: 4, completed: 0 });
  });

  test("keep what an edit does not name", () => {
    const changes = { description: "other" };
    const next = after(three, { type: "edit_task", task_id: "b", changes });
    expect(next.skill_state?.develop.tasks[1]).toEqual({
      ...three.skill_state?.develop.tasks[1],
      description: "other",
      updated_at: AT,
    });
  });

  test("of a running action are left alone", () => {
    const edit = { type: "edit_task", task_id: "a", changes: { description: "x" } } as const;
    expect(code(() => after(working, edit))).toBe("invalid_transition");
    expect(code(() => after(working, { type: "remove_task", task_id: "a" }))).toBe(
      "invalid_transition",
    );
    expect(code(() => after(working, { type: "remove_task", task_id: "b" }))).toBe("accepted");
  });

  test("are reordered: named first, the others behind", () => {
    const command = { type: "reorder_tasks", task_ids: ["c", "a"] } as const;
    const next = after(three, { ...command, task_ids: ["c", "a"] });
    expect(next.skill_state?.develop.tasks.map((t) => t.id)).toEqual(["c", "a", "b"]);
    expect(code(() => after(three, { ...command, task_ids: ["zzz"] }))).toBe("task_not_found");
    expect(code(() => after(three, { ...command, task_ids: ["a", "a"] }))).toBe("invalid_input");
  });
});

describe("interactive", () => {
  const person = state(created({ settings: { mode: "interactive" } }), started, initialized("a"));

  test("COMPLETE can be chosen only behind a proof", () => {
    const choose = { type: "choose", action: "COMPLETE" } as const;
    expect(code(() => after(person, choose))).toBe("invalid_input");
    const proven = replay([developed("a"), validated(true)], person);
    expect(code(() => after(proven, choose))).toBe("accepted");
  });

  test("the menu says why a choice that became impossible was not executed", () => {
    const proven = replay([developed("a"), validated(true)], person);
    const chosen = after(proven, { type: "choose", action: "COMPLETE" });
    expect(menuOf(chosen).notice).toBeUndefined();
    const later = replay([{ type: "task.added", at: AT, task: task("b") }], chosen);
    expect(menuOf(later).notice).toMatch("COMPLETE was chosen, but something changed since.");
    expect(menuOf(later, "Not now.").notice).toBe("Not now.");
  });

  test("the menu is answered like any question, with one of its options", () => {
    const menu = waiting({ menu: true, options: ["develop", "validate"] });
    const before = replay([menu], person);
    expect(code(() => after(before, { type: "answer", text: "dance" }))).toBe("invalid_input");
    const next = after(before, { type: "answer", text: "validate" });
    expect(next.skill_state?.chosen_action).toBe("VALIDATE");
    expect(next.waiting).toBeUndefined();
  });

  test("an answer stays with the action that asked", () => {
    const before = replay(
      [begun("DEVELOP", "a"), interrupted("DEVELOP"), waiting({ prompt: "Which?" })],
      person,
    );
    const next = after(before, { type: "answer", text: "the blue one" });
    expect(next.waiting).toBeUndefined();
    const again = replay([begun("DEVELOP", "a", 2)], next);
    expect(again.action).toMatchObject({ answer: "the blue one", attempt: 2 });
  });
});
