import { z } from "zod";
import { objectionsTo, openObjections } from "../proof/objections.ts";
import { lacksReview } from "../proof/reviews.ts";
import { openTasks, statusText, tasksOf } from "../state/derived.ts";
import type { LoopState, Outcome } from "../state/loop-state.ts";
import { ActionName } from "../state/skill-state.ts";
import type { DevelopTask } from "../state/task.ts";
import { limitReached } from "./limits.ts";
import { stallLevelOf, stallText } from "./no-progress.ts";
import { openText, reopenCommand } from "./reopen.ts";

export const Guard = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});
export type Guard = z.infer<typeof Guard>;

/** What to do next (`null`: nothing) and why: the rule that fitted, in words, and its guards. */
export const Selection = z.object({
  action: ActionName.nullable(),
  rule: z.int(),
  reason: z.string(),
  guards: z.array(Guard),
  /** Instead of an action: nothing helps any more, and a person has to be asked. */
  asks: z.literal("no_progress").exactOptional(),
});
export type Selection = z.infer<typeof Selection>;

/** The task DEVELOP works on: one that was cut off, else the first pending, else (chosen by hand) a failed one. */
export function nextTask(state: LoopState): DevelopTask | undefined {
  const tasks = tasksOf(state);
  const first = (status: DevelopTask["status"]) => tasks.find((t) => t.status === status);
  return first("in_progress") ?? first("pending") ?? first("failed");
}

/** True when the last receipt passed and nothing changed since. */
export function hasPassed(state: LoopState): boolean {
  const receipt = state.receipts?.at(-1);
  return receipt?.passed === true && state.skill_state?.validate.stale === false;
}

/**
 * True when that pass is waived, or the square was measured, every objection is accepted, and the review that the operator
 * asked for was made: the only way to `completed`.
 */
export function isProven(state: LoopState): boolean {
  const isJudged = hasPassed(state) && !lacksSquare(state) && openObjections(state).length === 0;
  return isJudged && !lacksReview(state, state.receipts?.at(-1));
}

/** True when the tests passed where the four runs were not made: tasks were open then, or an older version ran them. */
function lacksSquare(state: LoopState): boolean {
  const receipt = state.receipts?.at(-1);
  const judged = receipt?.square !== undefined || receipt?.waived !== undefined;
  const open = openTasks(state).length > 0;
  return hasPassed(state) && !open && !judged && receipt?.objections.length === 0;
}

/** Whether only a person's answer to the objections is missing. */
export function waitsForAcceptance(state: LoopState): boolean {
  const open = openTasks(state).length > 0;
  return hasPassed(state) && !open && openObjections(state).length > 0;
}

export function outcomeOf(state: LoopState): Outcome & { status: "completed" | "failed" } {
  const open = openTasks(state);
  const receipt = state.receipts?.at(-1);
  if (isProven(state) && open.length === 0) {
    if (receipt?.waived !== undefined) {
      return {
        status: "completed",
        code: "waived",
        message: `Tests were waived: ${receipt.waived}`,
      };
    }
    const code = objectionsTo(state).length === 0 ? "proven" : "accepted";
    return { status: "completed", code, message: provenMessage(state) };
  }
  const limit = limitReached(state);
  if (limit) return { status: "failed", code: limit.code, message: limitMessage(state, limit) };
  const names = open.map((t) => t.id).join(", ");
  if (open.length > 0) {
    const message = `Tasks are not finished: ${names}.`;
    return { status: "failed", code: "tasks_failed", message };
  }
  const message = lacksReview(state, receipt)
    ? `${state.settings?.review} has not reviewed this state: VALIDATE has it do so.`
    : "No test run proves this state.";
  return { status: "failed", code: "not_proven", message };
}

/** What was reached, what is open, and how to go on. */
function limitMessage(state: LoopState, { code, message }: Outcome): string {
  const open = openText(state);
  const left = open === "" ? "" : ` Left: ${open}.`;
  return `${message}${left} Go on with: ${reopenCommand(state, code)}`;
}

function provenMessage(state: LoopState): string {
  const receipt = state.receipts?.at(-1);
  const count = (n: number, words: string) => (n === 0 ? [] : [`${n} ${words}`]);
  const accepted = objectionsTo(state).length;
  const notes = [
    ...count(
      receipt?.comparison?.still_failing.length ?? 0,
      "failed before the loop and still fail",
    ),
    ...count(receipt?.comparison?.flaky.length ?? 0, "flaky"),
    ...count(accepted, accepted === 1 ? "objection accepted" : "objections accepted"),
  ];
  return `The project's own tests passed${notes.length > 0 ? ` (${notes.join(", ")})` : ""}.`;
}

/** Why a loop that does not run does nothing: how it ended, or how it stands. */
function restText(state: LoopState): string {
  const { status, outcome } = state;
  if (outcome && (status === "completed" || status === "failed")) {
    return `The loop has ended, ${statusText(state)}: ${outcome.message}`;
  }
  if (status === "created") return "The loop was not started yet.";
  return status === "user_exit" ? "The loop was exited from the menu." : `The loop is ${status}.`;
}

function waitText(state: LoopState): string {
  const { kind, until } = state.waiting ?? {};
  if (kind === "no_progress") {
    return `The loop waits for a person (no_progress): ${stallText(state)}`;
  }
  return `The loop waits for ${kind}${until === undefined ? "" : ` until ${until}`}.`;
}

/** True for a choice that was possible when it was made and is so no more. */
export function isOutdated(state: LoopState, chosen: ActionName | null): boolean {
  if (chosen === "COMPLETE") {
    return outcomeOf(state).status !== "completed" && !waitsForAcceptance(state);
  }
  return chosen === "DEVELOP" && nextTask(state) === undefined;
}

/** Why the menu is shown again instead of running the chosen action. */
export function outdatedText(chosen: ActionName | null): string {
  return `${chosen} was chosen, but something changed since.`;
}

/**
 * All policy of the loop: the first rule that fits, with its reasons. Pure; the same state
 * always selects the same action, so a crash resumes at the action it cut off.
 */
export function selectNextAction(state: LoopState): Selection {
  const selection = byRules(state);
  if (selection.rule === 1 && state.waiting?.kind === "no_progress") {
    return { ...selection, guards: [...selection.guards, ...stallGuards(state)] };
  }
  const works = selection.rule >= 5 && selection.action !== "COMPLETE";
  return works ? unlessStalled(state, selection) : selection;
}

/** Rule 4 for missing progress, a bound that a person can lift without ending the loop (ADR 16). */
function unlessStalled(state: LoopState, selection: Selection): Selection {
  const { level } = stallLevelOf(state);
  const guards = [...selection.guards, ...stallGuards(state)];
  const reason = stallText(state);
  if (level === "wait") return { action: null, rule: 4, reason, guards, asks: "no_progress" };
  const repair = selection.action === "DEVELOP" && isRepair(nextTask(state));
  if (level === "debug" && repair && state.stall?.debugged !== true) {
    return {
      action: "DEBUG",
      rule: 4,
      reason: `${reason} A cause comes before the next repair.`,
      guards,
    };
  }
  return { ...selection, guards };
}

function stallGuards(state: LoopState): Guard[] {
  const { level, stalled, idle, max } = stallLevelOf(state);
  return [
    { name: "stalled", value: stalled },
    { name: "idle", value: idle },
    { name: "max_stalled", value: max },
    { name: "stall_level", value: level },
  ];
}

function isRepair(task: DevelopTask | undefined): boolean {
  return task !== undefined && (task.fixes !== undefined || (task.attempts ?? 0) > 0);
}

function byRules(state: LoopState): Selection {
  const guards: Guard[] = [];
  const look = <T extends Guard["value"]>(name: string, value: T): T => {
    guards.push({ name, value });
    return value;
  };
  const pick = (rule: number, action: ActionName | null, reason: string): Selection => ({
    action,
    rule,
    reason,
    guards,
  });

  if (look("status", state.status) !== "running") {
    return pick(1, null, restText(state));
  }
  if (look("waiting", state.waiting?.kind ?? null) !== null) {
    return pick(1, null, waitText(state));
  }

  const limit = limitReached(state);
  look("limit", limit?.code ?? null);
  const skill = state.skill_state;
  if (!look("initialized", Boolean(skill)) && !limit) {
    return pick(2, "INIT", "The loop has no plan yet.");
  }
  const interactive = look("mode", skill?.mode ?? null) === "interactive";
  const chosen = look("chosen_action", skill?.chosen_action ?? null);
  if (interactive && chosen === null) {
    return pick(3, "MENU", "Interactive mode: a person chooses the next action.");
  }
  if (interactive && !limit && isOutdated(state, chosen)) {
    return pick(3, "MENU", outdatedText(chosen));
  }
  if (limit || !skill) {
    return pick(4, "COMPLETE", `A limit is reached (${limit?.code}): ${limit?.message}`);
  }
  if (interactive && chosen !== null) return pick(3, chosen, "A person chose this action.");

  const tasks = skill.develop.tasks;
  const open = look(
    "open_tasks",
    tasks.filter((t) => t.status === "pending" || t.status === "in_progress").length,
  );
  if (open > 0) return pick(5, "DEVELOP", `${open} task${open === 1 ? " is" : "s are"} open.`);

  const failed = tasks.filter((t) => t.status === "failed" && !t.debugged).length;
  if (look("failed_tasks_not_debugged", failed) > 0) {
    return pick(6, "DEBUG", "A task failed and nobody has looked at why.");
  }
  const receipt = state.receipts?.at(-1);
  if (look("validated", receipt !== undefined) === false) {
    return pick(7, "VALIDATE", "The tests have not been run yet.");
  }
  if (look("changed_since_validate", skill.validate.stale !== false)) {
    return pick(7, "VALIDATE", "Something changed since the tests were run.");
  }
  if (look("last_validate_passed", receipt?.passed === true)) {
    const objections = openObjections(state);
    // Those that DEBUG can do something about.
    const causes = objections.filter(({ kind }) => kind === "cause");
    const unsettled = look("unsettled_causes", causes.length);
    if (unsettled > 0 && look("debugged_since", skill.last_action !== "VALIDATE") === false) {
      return pick(
        9,
        "DEBUG",
        "The tests passed, but the probe of a confirmed cause shows no change.",
      );
    }
    if (look("open_objections", objections.length) > 0) {
      return pick(
        8,
        "COMPLETE",
        "The tests passed, but a person has to judge what speaks against it.",
      );
    }
    if (look("square_missing", lacksSquare(state))) {
      return pick(8, "VALIDATE", "The tests passed, but not yet in a clean room.");
    }
    const reviewer = state.settings?.review;
    if (reviewer !== undefined && look("review_missing", lacksReview(state, receipt))) {
      return pick(
        8,
        "VALIDATE",
        `The tests passed, but ${reviewer} has not reviewed the work yet.`,
      );
    }
    return pick(8, "COMPLETE", "The tests passed and nothing changed since.");
  }
  return pick(9, "DEBUG", "The tests failed and nothing was changed since.");
}
