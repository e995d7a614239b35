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
  begun,
  created,
  developed,
  initialized,
  loop,
  started,
  state,
  task,
  validated,
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
      expect(code(() => decide(before, { type }, AT))).toBe("invalid_transition");
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
  const after = replay(decide(before, { type: "stop" }, AT), before);
  expect(after).toMatchObject({
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
    expect(code(() => decide(limited, { type: "resume", reopen: true }, AT))).toBe(
      "invalid_transition",
    );
    const changes = { max_iterations: 20 };
    const after = replay(decide(limited, { type: "resume", reopen: true, changes }, AT), limited);
    expect(after).toMatchObject({ status: "running", max_iterations: 20 });
    expect(after).not.toHaveProperty("outcome");
    expect(after).not.toHaveProperty("failure_reason");
    expect(after).not.toHaveProperty("completed_at");
  });

  test("is refused without reopen", () => {
    expect(code(() => decide(limited, { type: "resume" }, AT))).toBe("invalid_transition");
  });

  test("of a completed loop needs new work", () => {
    const done = loop({ status: "completed", tasks: [task("a", { status: "completed" })] });
    expect(code(() => decide(done, { type: "resume", reopen: true }, AT))).toBe(
      "invalid_transition",
    );
    const more = replay(decide(done, { type: "add_task", task: task("b") }, AT), done);
    expect(code(() => decide(more, { type: "resume", reopen: true }, AT))).toBe("accepted");
  });

  test("forgives the failures in a row that ended it", () => {
    const usage = { consecutive_failures: 5 } as LoopState["usage"];
    const before = loop({ status: "failed", ...(usage ? { usage } : {}) });
    const after = replay(decide(before, { type: "resume", reopen: true }, AT), before);
    expect(after.usage?.consecutive_failures).toBe(0);
  });
});

describe("tasks", () => {
  const planned = state(created(), started, initialized("a", "b", "c"));
  const working = state(created(), started, initialized("a", "b"), begun("DEVELOP", "a"));

  test("are added once, before and after INIT, to the one list", () => {
    const early = loop();
    const added = replay(decide(early, { type: "add_task", task: task("x") }, AT), early);
    expect(added.tasks?.map((t) => t.id)).toEqual(["x"]);
    expect(code(() => decide(added, { type: "add_task", task: task("x") }, AT))).toBe(
      "invalid_input",
    );
    const late = replay(decide(planned, { type: "add_task", task: task("d") }, AT), planned);
    expect(late.skill_state?.develop).toMatchObject({ total: 4, completed: 0 });
  });

  test("keep what an edit does not name", () => {
    const changes = { description: "other" };
    const after = replay(
      decide(planned, { type: "edit_task", task_id: "b", changes }, AT),
      planned,
    );
    expect(after.skill_state?.develop.tasks[1]).toEqual({
      ...planned.skill_state?.develop.tasks[1],
      description: "other",
      updated_at: AT,
    });
  });

  test("of a running action are left alone", () => {
    const edit = { type: "edit_task", task_id: "a", changes: { description: "x" } } as const;
    expect(code(() => decide(working, edit, AT))).toBe("invalid_transition");
    expect(code(() => decide(working, { type: "remove_task", task_id: "a" }, AT))).toBe(
      "invalid_transition",
    );
    expect(code(() => decide(working, { type: "remove_task", task_id: "b" }, AT))).toBe("accepted");
  });

  test("are reordered: named first, the others behind", () => {
    const command = { type: "reorder_tasks", task_ids: ["c", "a"] } as const;
    const after = replay(decide(planned, { ...command, task_ids: ["c", "a"] }, AT), planned);
    expect(after.skill_state?.develop.tasks.map((t) => t.id)).toEqual(["c", "a", "b"]);
    expect(code(() => decide(planned, { ...command, task_ids: ["zzz"] }, AT))).toBe(
      "task_not_found",
    );
    expect(code(() => decide(planned, { ...command, task_ids: ["a", "a"] }, AT))).toBe(
      "invalid_input",
    );
  });
});

describe("interactive", () => {
  const planned = state(created({ settings: { mode: "interactive" } }), started, initialized("a"));

  test("COMPLETE can be chosen only behind a proof", () => {
    const choose = { type: "choose", action: "COMPLETE" } as const;
    expect(code(() => decide(planned, choose, AT))).toBe("invalid_input");
    const proven = replay([developed("a"), validated(true)], planned);
    expect(code(() => decide(proven, choose, AT))).toBe("accepted");
  });

  test("the menu says why a choice that became impossible was not executed", () => {
    const proven = replay([developed("a"), validated(true)], planned);
    const chosen = replay(decide(proven, { type: "choose", action: "COMPLETE" }, AT), proven);
    expect(menuOf(chosen).notice).toBeUndefined();
    const later = replay([{ type: "task.added", at: AT, task: task("b") }], chosen);
    expect(menuOf(later).notice).toMatch("COMPLETE was chosen, but something changed since.");
    expect(menuOf(later, "Not now.").notice).toBe("Not now.");
  });

  test("the menu is answered like any question, with one of its options", () => {
    const waiting = {
      kind: "input" as const,
      menu: true,
      since: AT,
      options: ["develop", "validate"],
    };
    const before = replay([{ type: "waiting.started", at: AT, waiting }], planned);
    expect(code(() => decide(before, { type: "answer", text: "dance" }, AT))).toBe("invalid_input");
    const after = replay(decide(before, { type: "answer", text: "validate" }, AT), before);
    expect(after.skill_state?.chosen_action).toBe("VALIDATE");
    expect(after.waiting).toBeUndefined();
  });

  test("an answer stays with the action that asked", () => {
    const before = replay(
      [
        begun("DEVELOP", "a"),
        {
          type: "action.interrupted",
          at: AT,
          action: "DEVELOP",
          reason: "needs_input",
          active_ms: 1,
        },
        {
          type: "waiting.started",
          at: AT,
          waiting: { kind: "input", since: AT, prompt: "Which?" },
        },
      ],
      planned,
    );
    const after = replay(decide(before, { type: "answer", text: "the blue one" }, AT), before);
    expect(after.waiting).toBeUndefined();
    const again = replay([begun("DEVELOP", "a", 2)], after);
    expect(again.action).toMatchObject({ answer: "the blue one", attempt: 2 });
  });
});
