import { invalidInput, LoopError } from "../errors.ts";
import { withoutUndefined } from "../json.ts";
import { openObjections, placeText } from "../proof/objections.ts";
import { isMissingReview } from "../proof/reviews.ts";
import { openTasks, tasksOf } from "../state/derived.ts";
import { type LoopState, LoopStatus } from "../state/loop-state.ts";
import type { LoopRepository } from "../state/repository.ts";
import { ActionName } from "../state/skill-state.ts";
import { DevelopTask } from "../state/task.ts";
import { ownTool } from "./agents.ts";
import { addTask, editTask, reorderTasks, requireFreeTask } from "./decide-tasks.ts";
import { type LoopCommand, LoopEdit, type LoopEvent } from "./events.ts";
import { limitReached } from "./limits.ts";
import { reopenCommand } from "./reopen.ts";
import { outcomeOf, waitsForAcceptance } from "./select.ts";

const ANY = LoopStatus.options;

/** Which statuses accept which command. `resume` with `reopen` also takes the ended ones. */
export const ACCEPTED_FROM: Readonly<Record<LoopCommand["type"], readonly LoopStatus[]>> = {
  start: ["created", "paused"],
  pause: ["running"],
  resume: ["paused", "user_exit"],
  stop: ["created", "running", "paused"],
  exit: ["running", "paused"],
  edit: ANY,
  choose: ["running"],
  answer: ["running", "paused"],
  add_task: ANY,
  edit_task: ANY,
  remove_task: ANY,
  reorder_tasks: ANY,
};

/**
 * Command → the facts it causes. Refuses with `invalid_transition`, `task_not_found` or `invalid_input`;
 * never touches a clock: `at` is the time of the facts.
 */
export function decide(state: LoopState, command: LoopCommand, at: string): LoopEvent[] {
  const isEnded = state.status === "failed" || state.status === "completed";
  if (command.type === "resume") {
    if (command.reopen && isEnded) return reopen(state, command.changes, at);
    if (command.now && state.status === "running") return now(state, command.changes, at);
  }
  if (!ACCEPTED_FROM[command.type].includes(state.status)) {
    throw new LoopError(
      "invalid_transition",
      `Cannot ${command.type.replace("_", " ")} loop with status: ${state.status}`,
      {
        details: {
          status: state.status,
          accepted_from: ACCEPTED_FROM[command.type],
          hint: isEnded
            ? `It has ended. Open it again with: ${reopenCommand(state)}`
            : `See what it can do with: ccw-loop why ${state.loop_id}`,
        },
      },
    );
  }
  switch (command.type) {
    case "start":
      return [{ type: "loop.started", at }];
    case "pause":
      return [{ type: "loop.paused", at, ...withoutUndefined({ reason: command.reason }) }];
    case "resume":
      return [...edited(state, command.changes, at), { type: "loop.resumed", at }];
    case "stop":
      return [{ type: "loop.stopped", at, ...withoutUndefined({ reason: command.reason }) }];
    case "exit":
      return [{ type: "loop.exited", at }];
    case "edit":
      return edited(state, command.changes, at);
    case "choose":
      return choose(state, command.action, at);
    case "answer":
      return answer(state, command, at);
    case "add_task":
      return addTask(state, command.task, at);
    case "edit_task":
      return editTask(requireFreeTask(state, command.task_id), command.changes, at);
    case "remove_task":
      requireFreeTask(state, command.task_id);
      return [{ type: "task.removed", at, task_id: command.task_id }];
    case "reorder_tasks":
      return reorderTasks(state, command.task_ids, at);
  }
}

/** A usage limit is tried at once; one that is still there is waited for again. */
function now(state: LoopState, changes: LoopEdit | undefined, at: string): LoopEvent[] {
  if (state.waiting?.kind !== "usage_limit") {
    throw new LoopError(
      "invalid_transition",
      "Cannot resume a running loop now: it does not wait for a usage limit.",
      {
        details: {
          status: state.status,
          waiting: state.waiting?.kind ?? null,
          hint: `See what it does with: ccw-loop why ${state.loop_id}`,
        },
      },
    );
  }
  return [...edited(state, changes, at), { type: "waiting.ended", at, reason: "now" }];
}

function edited(state: LoopState, changes: LoopEdit | undefined, at: string) {
  const refused = changes && LoopEdit.safeParse(changes).error;
  if (refused) throw invalidInput(refused);
  requireSameRepository(state, changes?.settings?.repository);
  return changes ? [{ type: "loop.edited" as const, at, changes }] : [];
}

/** The files of a loop that has begun are of one repository; its setup command may be corrected. */
function requireSameRepository(
  { loop_id: id, settings, workspace, checkpoints }: LoopState,
  next: LoopRepository | undefined,
): void {
  const hasBegun = workspace?.path !== undefined || (checkpoints?.length ?? 0) > 0;
  const before = settings?.repository;
  if (next === undefined || !hasBegun) return;
  if (before?.url === next.url && before.ref === next.ref) return;
  throw new LoopError(
    "invalid_transition",
    `Loop ${id} has begun, so its repository cannot become another one. Make a new loop for ${next.url}.`,
  );
}

function reopen(state: LoopState, changes: LoopEdit | undefined, at: string): LoopEvent[] {
  const after: LoopState = {
    ...state,
    max_iterations: changes?.max_iterations ?? state.max_iterations,
    limits: { ...state.limits, ...changes?.limits },
    ...(state.usage ? { usage: { ...state.usage, consecutive_failures: 0 } } : {}),
  };
  const limit = limitReached(after);
  if (limit) {
    throw new LoopError(
      "invalid_transition",
      `Cannot resume: ${limit.message} Raise that limit in the same command.`,
      {
        details: { code: limit.code, hint: `Resume it with: ${reopenCommand(after, limit.code)}` },
      },
    );
  }
  if (state.status === "completed" && openTasks(state).length === 0) {
    throw new LoopError("invalid_transition", "Cannot resume a completed loop without new work.", {
      details: { hint: `Add a task first: ${reopenCommand(state)}` },
    });
  }
  return [...edited(state, changes, at), { type: "loop.resumed", at, reopened: true }];
}

function choose(state: LoopState, action: ActionName, at: string): LoopEvent[] {
  if (!state.skill_state || action === "INIT" || action === "MENU") {
    throw new LoopError("invalid_input", `${action} cannot be chosen here.`);
  }
  if (action === "DEVELOP" && openTasks(state).length === 0) {
    throw new LoopError("invalid_input", "No task is open. Add one with: ccw-loop tasks add");
  }
  const end = outcomeOf(state);
  if (action === "COMPLETE" && end.status !== "completed" && !waitsForAcceptance(state)) {
    throw new LoopError(
      "invalid_input",
      `COMPLETE needs a passing VALIDATE of the current state and no open task. ${end.message}`,
    );
  }
  return [{ type: "action.chosen", at, action }];
}

type GivenAnswer = Extract<LoopCommand, { type: "answer" }>;

function answer(state: LoopState, { text, option }: GivenAnswer, at: string): LoopEvent[] {
  if (!state.waiting) {
    throw new LoopError("invalid_input", "This loop is not waiting for an answer.");
  }
  if (state.waiting.kind === "usage_limit") {
    throw new LoopError(
      "invalid_input",
      `Loop ${state.loop_id} waits for a usage limit and takes no answer. Try it at once with: ccw-loop resume ${state.loop_id} --now`,
    );
  }
  const { about, options, menu } = state.waiting;
  // The answer is kept for every later run.
  if (about === "tests") return edited(state, { settings: testAnswer(text, option) }, at);
  if (option !== undefined) {
    throw new LoopError("invalid_input", "The question takes its answer without an option.");
  }
  const action = ActionName.safeParse(text.toUpperCase());
  // What a menu offered may be out of date by now; `choose` judges by the newest state.
  if (menu && action.success) return choose(state, action.data, at);
  if (menu || (options && !options.includes(text))) {
    throw new LoopError("invalid_input", `Answer with one of: ${(options ?? []).join(", ")}.`);
  }
  if (text.trim() === "") throw new LoopError("invalid_input", "The answer is empty.");
  if (about === "objections") return answerObjections(state, text, at);
  if (about === "review" && text === "accept") return accept(state, at);
  return [{ type: "waiting.ended", at, reason: text }];
}

/** A person accepts what speaks against the proof, or has it put right by a task. */
function answerObjections(state: LoopState, text: string, at: string): LoopEvent[] {
  if (text === "accept") return accept(state, at);
  // That nobody has looked at the work is nothing that a task puts right; the next VALIDATE asks again.
  const open = openObjections(state).filter((one) => !isMissingReview(one));
  const lines = open.slice(0, 20).map((one) => `- ${one.message}${placeText(one)}`);
  const description = `Put right what a person rejected; the tests must prove the work as they were:\n${lines.join("\n")}`;
  const taken = new Set(tasksOf(state).map((task) => task.id));
  let number = 1;
  while (taken.has(`rejected-${number}`)) number += 1;
  const task = DevelopTask.parse({
    id: `rejected-${number}`,
    description,
    tool: ownTool(state),
    created_at: at,
  });
  return [
    { type: "task.added", at, task },
    { type: "waiting.ended", at, reason: text },
  ];
}

function accept(state: LoopState, at: string): LoopEvent[] {
  return [
    { type: "objections.accepted", at, keys: openObjections(state).map(({ key }) => key) },
    { type: "waiting.ended", at, reason: "accept" },
  ];
}

/** The two answers where a project has no tests that were found, named as the settings that they become. */
export const TEST_ANSWERS = ["verify", "waive_tests"] as const;

/** The command that runs the tests, or why there are none. */
export type TestAnswer = { verify: string } | { waive_tests: string };

/** The answer that a text is under the option it was given for; without one it is a command. Throws `invalid_input` for no text and for another option. */
export function testAnswer(text: string, option: string = "verify"): TestAnswer {
  const said = text.trim();
  if (said === "") throw new LoopError("invalid_input", "The answer is empty.");
  if (option === "verify") return { verify: said };
  if (option === "waive_tests") return { waive_tests: said };
  throw new LoopError(
    "invalid_input",
    `The question has no option ${JSON.stringify(option)}. Answer under one of: ${TEST_ANSWERS.join(", ")}.`,
  );
}
