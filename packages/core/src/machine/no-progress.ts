import { omit } from "../json.ts";
import { tasksOf } from "../state/derived.ts";
import { isProbed } from "../state/hypothesis.ts";
import { type LoopState, Stall, type Waiting } from "../state/loop-state.ts";
import { COUNTED_ACTIONS } from "../state/skill-state.ts";
import { fingerprint } from "../text.ts";
import { describeAttempt, failingSet, failureText } from "./attempt.ts";
import type { EndEvent, LoopEvent } from "./events.ts";
import { limitsOf } from "./limits.ts";

/** How many trees and failing sets are remembered, and how many iterations are told. */
const FINGERPRINTS_KEPT = 50;
const ATTEMPTS_KEPT = 10;
/** How many repairs between two test runs are left uncounted: only the run can say what they are worth. */
const MAX_UNCOUNTED_REPAIRS = 10;
/** Stalled iterations that are taken off when tests fail that never failed together: a round of DEBUG, DEVELOP and VALIDATE. */
const NEW_FAILURES_CREDIT = 3;

/**
 * The state after an event with its progress judged: an iteration is compared with the best so far, and an operator's
 * change resets the counters.
 */
export function judgeProgress(before: LoopState, after: LoopState, event: LoopEvent): LoopState {
  switch (event.type) {
    case "action.completed":
    case "action.failed":
      if (!COUNTED_ACTIONS.includes(event.action)) return after;
      return { ...after, stall: judgeIteration(before, after, event) };
    case "waiting.ended":
      return afterAnswer(before, after, event.reason);
    case "loop.edited": {
      const { description, max_iterations, limits, settings } = event.changes;
      const matters = [description, max_iterations, limits, settings].some((v) => v !== undefined);
      return matters ? resetStallByOperator(after) : after;
    }
    case "loop.resumed":
      return event.reopened ? resetStallByOperator(after) : after;
    case "task.added":
    case "task.edited":
    case "task.removed":
    case "tasks.reordered":
    case "objections.accepted":
    case "action.chosen":
      return resetStallByOperator(after);
    default:
      return after;
  }
}

/** The state with its counters of missing progress reset, because a person said how to continue. */
export function resetStallByOperator(state: LoopState): LoopState {
  const next = state.waiting?.kind === "no_progress" ? omit(state, "waiting") : state;
  if (!state.stall) return next;
  const stall = { ...resetStall(state.stall), best_done: plannedDone(state), best_failing: null };
  return { ...next, stall };
}

function afterAnswer(before: LoopState, after: LoopState, reason: string): LoopState {
  const kind = before.waiting?.kind;
  if (kind === undefined || kind === "usage_limit") return after;
  const next = resetStallByOperator(after);
  if (kind !== "no_progress" || !next.stall) return next;
  return { ...next, stall: { ...next.stall, guidance: reason } };
}

function resetStall(stall: Stall): Stall {
  return { ...stall, stalled: 0, idle: 0, sidesteps: 0, debugged: false, tried: [] };
}

function judgeIteration(before: LoopState, after: LoopState, event: EndEvent): Stall {
  const known = before.stall ?? initialStall(before);
  const seen = compareWithBest(known, before, after, event);
  const { best, facts, freshTree, fresh, sidestep } = seen;
  const stall: Stall = { ...known, ...facts, unmeasured: unmeasured(known, event, seen, before) };
  if (best) return omit(resetStall(stall), "guidance");
  const { stalled, sidesteps } = known;
  const { max_stalled } = limitsOf(after);
  const counted = stall.unmeasured > known.unmeasured ? 0 : 1;
  const change = { freshTree, decided: stall.decided - known.decided };
  return {
    ...stall,
    stalled: Math.max(0, stalled + counted - (sidestep ? NEW_FAILURES_CREDIT : 0)),
    idle: fresh ? 0 : known.idle + 1,
    sidesteps: sidesteps + (sidestep ? 1 : 0),
    // DEBUG had its turn while it was asked for in the place of a repair.
    debugged: known.debugged || (event.action === "DEBUG" && isDebugDue(known, max_stalled)),
    tried: [...known.tried, describeAttempt(before, after, event, change)].slice(-ATTEMPTS_KEPT),
  };
}

/** Where counting begins, also for loops of versions that did not count. */
function initialStall(before: LoopState): Stall {
  const failing = failingSet(before);
  return Stall.parse({
    best_done: plannedDone(before),
    last_failing: failing?.size ?? null,
    failures: failing ? [failing.print] : [],
  });
}

interface Observation {
  /** More was reached than ever before. */
  best: boolean;
  freshTree: boolean;
  /** A tree, a decided hypothesis or a failing set that no earlier iteration had. */
  fresh: boolean;
  /** Other tests fail than ever before, and not more of them. Counted at most `max_stalled` times. */
  sidestep: boolean;
  facts: Partial<Stall>;
}

function compareWithBest(
  known: Stall,
  before: LoopState,
  after: LoopState,
  event: EndEvent,
): Observation {
  const base = before.action?.base_tree;
  const trees = base ? remembered(known.trees, fingerprint(base)) : known.trees;
  const tree = treeOf(after, event);
  const print = tree === null ? null : fingerprint(tree);
  const freshTree = print === null ? changedFiles(event) : !trees.includes(print);
  const done = plannedDone(after);
  const decided = Math.max(known.decided, decidedIdeas(after));
  const facts: Partial<Stall> = {
    trees: print === null ? trees : remembered(trees, print),
    best_done: Math.max(known.best_done, done),
    decided,
  };
  const more = done > known.best_done;
  // Another planned task may well break tests again.
  if (more) facts.best_failing = null;
  const fresh = freshTree || decided > known.decided;
  if (event.type !== "action.completed" || event.action !== "VALIDATE") {
    return { best: more, freshTree, fresh, sidestep: false, facts };
  }

  const run = failingSet(after) ?? { size: null, print: "" };
  const coverage = Math.floor(after.skill_state?.validate.coverage ?? -1);
  const smaller = lessThan(run.size, known.best_failing);
  const covered = run.size === null && coverage > (known.best_coverage ?? -1);
  const unseen = !known.failures.includes(run.print);
  const sidestep =
    unseen &&
    !lessThan(known.last_failing, run.size) &&
    known.sidesteps < limitsOf(after).max_stalled;
  facts.failures = remembered(known.failures, run.print);
  facts.last_failing = run.size;
  if (smaller) facts.best_failing = run.size;
  if (coverage > (known.best_coverage ?? -1)) facts.best_coverage = coverage;
  return { best: more || smaller || covered, freshTree, fresh: fresh || unseen, sidestep, facts };
}

/** A first try at a repair that changed something is judged by the VALIDATE that follows. */
function unmeasured(known: Stall, event: EndEvent, seen: Observation, before: LoopState): number {
  if (event.action === "VALIDATE") return 0;
  if (event.type !== "action.completed" || event.output.action !== "DEVELOP") {
    return known.unmeasured;
  }
  const { task_id } = event.output;
  const task = tasksOf(before).find(({ id }) => id === task_id);
  const first = task?.fixes !== undefined && (task.attempts ?? 0) === 0;
  const free = first && seen.freshTree && known.unmeasured < MAX_UNCOUNTED_REPAIRS;
  return known.unmeasured + (free ? 1 : 0);
}

function isDebugDue({ stalled, idle }: Stall, max: number): boolean {
  return stalled >= Math.ceil(max * 0.6) || idle >= Math.max(3, Math.ceil(max / 5));
}

function treeOf(after: LoopState, event: EndEvent): string | null {
  if (event.type === "action.completed" && event.action === "VALIDATE") {
    return after.receipts?.at(-1)?.tree_before ?? null;
  }
  return event.tree ?? null;
}

/** For journals that name no tree behind an action. */
function changedFiles(event: EndEvent): boolean {
  const facts = event.type === "action.completed" ? event.output : event;
  const files = "files_changed" in facts ? facts.files_changed : [];
  return files !== undefined && files.length > 0;
}

function plannedDone(state: LoopState): number {
  return tasksOf(state).filter((t) => t.status === "completed" && t.fixes === undefined).length;
}

function decidedIdeas({ skill_state }: LoopState): number {
  const ideas = skill_state?.debug.hypotheses ?? [];
  return ideas.filter(
    (idea) => (idea.status === "confirmed" || idea.status === "rejected") && isProbed(idea),
  ).length;
}

function lessThan(a: number | null, b: number | null): boolean {
  return (a ?? Number.POSITIVE_INFINITY) < (b ?? Number.POSITIVE_INFINITY);
}

function remembered(prints: readonly string[], print: string): string[] {
  return [...prints.filter((known) => known !== print), print].slice(-FINGERPRINTS_KEPT);
}

/**
 * How far a loop without progress has come (ADR 16). `escalate`: the agent is asked for another approach. `debug`: a cause
 * is looked for before the next repair. `wait`: a person is asked; `stalled` may not reach `max`.
 */
export function stallLevelOf(state: LoopState) {
  const { max_stalled: max } = limitsOf(state);
  const stall = state.stall ?? Stall.parse({});
  const { stalled, idle } = stall;
  const waits = stalled >= max || idle >= Math.max(5, Math.ceil(max / 3));
  const escalates =
    stalled >= Math.ceil(max * 0.4) || idle >= Math.max(2, Math.ceil((max * 2) / 15));
  const level = waits ? "wait" : isDebugDue(stall, max) ? "debug" : escalates ? "escalate" : "none";
  return { level, stalled, idle, max } as const;
}

/** The question to a person where a loop makes no progress: what was tried, and what stayed the same. */
export function noProgressWaiting(state: LoopState, at: string): Waiting {
  const tried = state.stall?.tried ?? [];
  const prompt = [
    `${stallText(state)} What stayed the same: ${failureText(state).replace(/\.$/, "")}.`,
    "Tried:",
    ...tried.map((one) => `- ${one.iteration}. ${one.action}: ${one.text}`),
    "Say what to do differently; the next prompt tells it to the agent.",
  ].join("\n");
  return { kind: "no_progress", since: at, prompt };
}

export function stallText(state: LoopState): string {
  const { stalled, idle, max } = stallLevelOf(state);
  const row = idle > 1 ? `; the last ${idle} in a row brought nothing new at all` : "";
  return `No progress for ${stalled} of at most ${max} iterations${row}.`;
}
