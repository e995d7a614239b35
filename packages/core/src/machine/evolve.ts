import { omit, withoutUndefined } from "../json.ts";
import { unproven } from "../state/admit.ts";
import {
  addUsage,
  replaceTask,
  tasksOf,
  withSkill,
  withStaleProof,
  withTasks,
} from "../state/derived.ts";
import type { LoopState, Settings, Waiting } from "../state/loop-state.ts";
import type { Checkpoint, WorkspaceState } from "../state/workspace.ts";
import type { LoopEvent, LoopEventOf } from "./events.ts";
import {
  completeAction,
  failAction,
  interruptAction,
  recordEvidence,
  startAction,
} from "./evolve-action.ts";
import {
  changedOutside,
  excludeFiles,
  forgetRestlessFiles,
  inWorktree,
  withMeasuredTree,
  withSeenTree,
} from "./evolve-workspace.ts";
import { judgeProgress } from "./no-progress.ts";

/**
 * What a recorded fact makes of a state. Never refuses: a fact happened. `undefined` is the loop before
 * `loop.created`; any other first event is a broken journal and throws a TypeError.
 */
export function evolve(state: LoopState | undefined, event: LoopEvent): LoopState {
  if (event.type === "loop.created") return event.loop;
  if (event.type === "external.edited" || event.type === "loop.recovered") return event.state;
  if (event.type === "loop.rewound") return { ...event.state, updated_at: event.at };
  if (!state) throw new TypeError(`A journal cannot begin with ${event.type}.`);
  return { ...judgeProgress(state, apply(state, event), event), updated_at: event.at };
}

/** All events folded into one state. */
export function replay(events: Iterable<LoopEvent>, from?: LoopState): LoopState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  if (!state) throw new TypeError("A journal cannot be empty.");
  return state;
}

type Later = Exclude<
  LoopEvent,
  LoopEventOf<"loop.created" | "external.edited" | "loop.recovered" | "loop.rewound">
>;

function apply(state: LoopState, event: Later): LoopState {
  switch (event.type) {
    case "loop.started":
      return { ...state, status: "running" };
    case "loop.paused":
      return { ...state, status: "paused" };
    case "loop.resumed":
      return resumed(state, event.reopened === true);
    case "loop.stopped":
      return ended(state, event.at, "failed", {
        code: "stopped_by_user",
        message: event.reason ?? "Manually stopped by user",
      });
    case "loop.exited":
      return { ...omit(state, "waiting"), status: "user_exit" };
    case "loop.edited":
      return edited(state, event.changes);
    case "loop.completed":
      return ended(state, event.at, "completed", event.outcome);
    case "loop.failed":
      return ended(state, event.at, "failed", event.outcome);
    case "task.added":
      return withTasks(state, [...tasksOf(state), event.task]);
    case "task.edited":
      return replaceTask(state, event.task_id, (task) => ({
        // A command that an operator names is theirs.
        ...(event.changes.command === undefined ? task : omit(task, "proposed")),
        ...withoutUndefined(event.changes),
        updated_at: event.at,
      }));
    case "task.removed":
      return removed(state, event.task_id);
    case "tasks.reordered":
      return reordered(state, event.task_ids);
    case "action.chosen":
      return withSkill(withoutQuestion(state), (skill) => ({
        ...skill,
        chosen_action: event.action,
      }));
    case "action.started":
      return startAction(state, event);
    case "action.completed":
      return completeAction(state, event);
    case "action.failed":
      return failAction(state, event);
    case "action.interrupted":
      return interruptAction(state, event);
    case "agent.attached": {
      const { agent, driver, session_id } = event;
      if (agent !== undefined) return withAgent(state, agent, { driver, session_id });
      return { ...state, agent: attached(state.agent, event) };
    }
    case "agent.limited":
      return withAgent(state, event.agent, { limited_until: event.until });
    case "evidence.recorded":
      return recordEvidence(state, event);
    case "turn.measured": {
      const { type: _, at: __, ...turn } = event;
      return state.action ? { ...state, action: { ...state.action, turn } } : state;
    }
    case "turn.completed":
      return afterTurn(state, event);
    case "waiting.started":
      return { ...state, waiting: event.waiting };
    case "waiting.ended":
      return answered(state, event.reason);
    case "workspace.measured":
      return withMeasuredTree(state, event.tree);
    case "workspace.changed":
      return changedOutside(state, event);
    case "files.left_out":
      return excludeFiles(state, event);
    case "baseline.measured":
      return { ...state, baseline: event.baseline };
    case "checkpoint.made":
      return withSeenTree(
        { ...state, checkpoints: withCheckpoint(state.checkpoints, event.checkpoint) },
        event.checkpoint.tree,
      );
    case "objections.accepted":
      return { ...state, accepted: [...new Set([...(state.accepted ?? []), ...event.keys])] };
    case "worktree.made":
      return inWorktree(state, event);
    case "receipt.refused":
      return reopenedUnproven(state);
    case "workspace.restored":
      return { ...state, workspace: restored(state.workspace, event.tree) };
  }
}

/** The tests have to run again; a completed loop is paused until somebody resumes it. */
function reopenedUnproven(state: LoopState): LoopState {
  if (state.status !== "completed") return unproven(state);
  const open = omit(state, "outcome", "failure_reason", "completed_at", "waiting");
  return unproven({ ...open, status: "paused" });
}

function restored(before: LoopState["workspace"], tree: string | null): WorkspaceState {
  const { restoring_leaves: _, ...workspace } = before ?? { tree };
  return { ...workspace, tree, seen: tree, restoring: null };
}

type Agents = NonNullable<LoopState["agents"]>;

function withAgent(state: LoopState, name: string, known: Agents[string]): LoopState {
  return { ...state, agents: { ...state.agents, [name]: { ...state.agents?.[name], ...known } } };
}

type Agent = NonNullable<LoopState["agent"]>;

/** A session id clears `fork_of`. */
function attached(
  before: LoopState["agent"],
  { driver, session_id }: { driver: string; session_id: string | null },
): Agent {
  const { turn_id, fork_of, ...rest } = before ?? {};
  const same = before?.session_id === session_id && session_id !== null;
  return {
    ...rest,
    driver,
    session_id,
    ...(same && turn_id !== undefined ? { turn_id } : {}),
    ...(session_id === null && fork_of !== undefined ? { fork_of } : {}),
  };
}

function afterTurn(state: LoopState, event: LoopEventOf<"turn.completed">): LoopState {
  const next: LoopState = { ...state, usage: addUsage(state.usage, { ...event, turns: 1 }) };
  if (event.turn_id && next.agent) next.agent = { ...next.agent, turn_id: event.turn_id };
  if (next.action?.turn) next.action = omit(next.action, "turn");
  return next;
}

/** One checkpoint for each number; one that is made again replaces the first. Only the newest says what was skipped. */
function withCheckpoint(before: Checkpoint[] = [], checkpoint: Checkpoint): Checkpoint[] {
  const older = before.filter(({ n }) => n < checkpoint.n);
  const told = older.map((one) => (one.skipped.length > 0 ? { ...one, skipped: [] } : one));
  return [...told, checkpoint];
}

function ended(
  state: LoopState,
  at: string,
  status: "completed" | "failed",
  outcome: { code: string; message: string },
): LoopState {
  const next: LoopState = { ...omit(state, "waiting", "failure_reason"), status, outcome };
  next.completed_at = at;
  if (status === "failed") next.failure_reason = outcome.message;
  return next;
}

function resumed(state: LoopState, reopened: boolean): LoopState {
  const next: LoopState = {
    ...omit(state, "outcome", "failure_reason", "completed_at", "waiting"),
    status: "running",
  };
  if (reopened && next.usage) next.usage = { ...next.usage, consecutive_failures: 0 };
  // An edit leaves the proof of a completed loop alone; what comes now is proven by what is asked now.
  return state.status === "completed" ? withStaleProof(next) : next;
}

/** Removes a task, and the interrupted action on it with the question that it asked. */
function removed(state: LoopState, id: string): LoopState {
  const left = tasksOf(state).filter((t) => t.id !== id);
  const next = withTasks(state, left);
  if (state.action?.task_id !== id) return next;
  return withSkill(omit(withoutQuestion(next), "action"), (skill) => ({
    ...skill,
    current_action: null,
    develop: { ...skill.develop, current_task: null },
  }));
}

function edited(state: LoopState, changes: LoopEventOf<"loop.edited">["changes"]): LoopState {
  const { limits, settings, ...fields } = changes;
  let next: LoopState = { ...state, ...withoutUndefined(fields) };
  if (limits) next = { ...next, limits: { ...state.limits, ...limits } };
  return settings ? withSettings(next, settings) : next;
}

/** A change of one of these asks for another verdict on the same files. */
const PROOF_SETTINGS = [
  "targets",
  "known_red",
  "allow_test_changes",
  "expect",
  "min_coverage",
  "no_coverage_drop",
  "review",
] as const satisfies readonly (keyof Settings)[];

function differs(a: unknown, b: unknown): boolean {
  return b !== undefined && JSON.stringify(a) !== JSON.stringify(b);
}

function withSettings(state: LoopState, changes: Settings): LoopState {
  const before = state.settings ?? {};
  const { waive_tests, mode } = changes;
  // Who waives the tests takes back the command that was given for them.
  const { verify: given, ...others } = before;
  const kept = waive_tests === undefined ? before : others;
  let next: LoopState = { ...state, settings: { ...kept, ...withoutUndefined(changes) } };
  const { verify = waive_tests === undefined ? given : undefined } = changes;
  const judges = PROOF_SETTINGS.some((key) => key in changes && differs(before[key], changes[key]));
  if ((verify !== before.verify || judges) && state.status !== "completed") {
    next = withStaleProof(next);
    const { about } = next.waiting ?? {};
    if (about === "objections" || about === "review") next = omit(next, "waiting");
  }
  if ((changes.verify || waive_tests) && next.action?.name === "VALIDATE") {
    next = withoutQuestion(next);
  }
  if (!mode) return next;
  if (mode === "auto" && next.waiting?.menu) next = omit(next, "waiting");
  return withSkill(next, (skill) => ({ ...skill, mode }));
}

function withoutQuestion(state: LoopState): LoopState {
  return isQuestion(state.waiting) ? omit(state, "waiting") : state;
}

function isQuestion(waiting: Waiting | undefined): boolean {
  return waiting?.kind === "input" || waiting?.kind === "approval";
}

/** A person's answer stays with the action that asked, until that action is repeated with it. */
function answered(state: LoopState, reason: string): LoopState {
  const next = withoutDoubt(omit(state, "waiting"), state.waiting?.about, reason);
  if (!isQuestion(state.waiting) || state.waiting?.menu || !state.action) return next;
  return { ...next, action: { ...state.action, answer: reason } };
}

/** What an answer makes of the test run that was asked about. */
function withoutDoubt(state: LoopState, about: Waiting["about"], answer: string): LoopState {
  if (about === "files") return forgetRestlessFiles(state);
  return about === "review" && answer === "again" ? withStaleProof(state) : state;
}

/** Named tasks first, in that order; the others keep theirs behind them. */
function reordered(state: LoopState, ids: string[]): LoopState {
  const tasks = tasksOf(state);
  const first = ids.flatMap((id) => tasks.find((t) => t.id === id) ?? []);
  return withTasks(state, [...first, ...tasks.filter((t) => !ids.includes(t.id))]);
}
