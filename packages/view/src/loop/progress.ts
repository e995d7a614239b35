import {
  type ActionName,
  type Checkpoint,
  COUNTED_ACTIONS,
  evolve,
  type LiveEvent,
  type LoopEventOf,
  type LoopService,
  type LoopState,
  tasksOf,
  taskText,
} from "@ccw-loop/core";
import { type AgentLog, emptyAgentLog, withActivity } from "./activity.ts";
import { passRate } from "./test-grid.ts";

/** Why an action was interrupted, for people: some reasons are codes. */
export function interruptionText(reason: string): string {
  return REASONS[reason] ?? reason;
}

const REASONS: Readonly<Record<string, string>> = {
  needs_input: "it asks you",
  usage_limit: "the agent's usage limit",
  crash: "its process ended",
};

/** One executed action as a screen shows it. */
export interface Step {
  action: ActionName;
  /** What it is about: `task 2/4: …`. */
  subject: string;
  status: "running" | "done" | "failed" | "interrupted";
  /** What came out; empty while it runs. */
  result: string;
  started_at: string;
  /** The iteration it is or was, for those that count. */
  iteration: number | null;
}

/** What the test runs and the actions of a loop came to, oldest first. */
export interface Runs {
  /** Share of passed tests, 0 to 1. */
  passRates: readonly number[];
  /** Covered lines, 0 to 100, of the runs that measured them. */
  coverage: readonly number[];
  /** Tokens that were used up to the end of each action. */
  tokens: readonly number[];
}

/** All that the views of a running loop need; built from events alone. */
export interface Progress {
  state: LoopState;
  steps: readonly Step[];
  /** The end of what the agent or the tests do right now. */
  activity: AgentLog;
  runs: Runs;
  /** Files that the newest checkpoint left out and the one before did not. */
  leftOut: readonly string[];
}

/** Lines of activity: more than a view of all of the loop has room for. */
const ACTIVITY_KEPT = 12;

export function initialProgress(state: LoopState): Progress {
  const runs = { passRates: [], coverage: [], tokens: [] };
  return { state, steps: [], activity: emptyAgentLog, runs, leftOut: [] };
}

export function applyEvent(before: Progress, live: LiveEvent): Progress {
  if (live.kind === "activity") {
    const activity = withActivity(before.activity, [live.activity], { kept: ACTIVITY_KEPT });
    return { ...before, activity };
  }
  const { event } = live.recorded;
  const state = { ...evolve(before.state, event), revision: live.recorded.revision };
  const after = { ...before, state };
  switch (event.type) {
    case "action.started":
      return started(after, event);
    case "action.completed":
      if (event.action === "MENU") return after;
      return ended({ ...after, runs: withRun(before.runs, event) }, "done", event.message);
    case "action.failed":
      return ended(after, "failed", event.message);
    case "action.interrupted":
      return ended(after, "interrupted", interruptionText(event.reason));
    case "loop.failed":
      return failed(after);
    case "checkpoint.made":
      return { ...after, leftOut: newlySkipped(before.state, event.checkpoint) };
    default:
      return after;
  }
}

/** More values than any screen has columns. */
const RUNS_KEPT = 500;

function withRun(before: Runs, { output }: LoopEventOf<"action.completed">): Runs {
  if (output.action !== "VALIDATE" || output.receipt.waived !== undefined) return before;
  const { receipt, coverage } = output;
  const rate = passRate(receipt.counts) ?? Number(receipt.passed);
  return {
    ...before,
    passRates: [...before.passRates, rate].slice(-RUNS_KEPT),
    coverage:
      coverage === null ? before.coverage : [...before.coverage, coverage].slice(-RUNS_KEPT),
  };
}

function newlySkipped({ checkpoints = [] }: LoopState, { skipped }: Checkpoint): string[] {
  const known = new Set(checkpoints.at(-1)?.skipped.map(({ path }) => path));
  return skipped.map(({ path }) => path).filter((path) => !known.has(path));
}

function started(progress: Progress, event: LoopEventOf<"action.started">): Progress {
  if (event.action === "MENU") return progress;
  const { state, steps } = progress;
  const step: Step = {
    action: event.action,
    subject: subjectOf(state, event.task_id),
    status: "running",
    result: "",
    started_at: event.at,
    iteration: COUNTED_ACTIONS.includes(event.action) ? state.current_iteration + 1 : null,
  };
  // A repeated action takes the place of the attempt that was cut off.
  const last = steps.at(-1);
  const cutOff = last && (last.status === "interrupted" || last.status === "running");
  const kept = cutOff && last.action === step.action ? steps.slice(0, -1) : steps;
  return { ...progress, steps: [...kept, step], activity: emptyAgentLog };
}

function subjectOf(state: LoopState, taskId: string | null): string {
  const tasks = tasksOf(state);
  const index = tasks.findIndex((task) => task.id === taskId);
  const task = tasks[index];
  return task ? `task ${index + 1}/${tasks.length}: ${taskText(task)}` : "";
}

function ended(progress: Progress, status: Step["status"], result: string): Progress {
  const step = progress.steps.at(-1);
  if (step?.status !== "running") return progress;
  const { total_tokens = 0 } = progress.state.usage ?? {};
  const tokens = [...progress.runs.tokens, total_tokens].slice(-RUNS_KEPT);
  // A VALIDATE that ran to its end is good news only when the tests passed.
  const isRed = step.action === "VALIDATE" && !progress.state.receipts?.at(-1)?.passed;
  const verdict = status === "done" && isRed ? "failed" : status;
  return {
    ...progress,
    runs: { ...progress.runs, tokens },
    steps: [...progress.steps.slice(0, -1), { ...step, status: verdict, result }],
    activity: emptyAgentLog,
  };
}

/** COMPLETE also ends a loop that failed, with a summary. */
function failed({ steps, ...rest }: Progress): Progress {
  const last = steps.at(-1);
  if (last?.action !== "COMPLETE") return { steps, ...rest };
  return { ...rest, steps: [...steps.slice(0, -1), { ...last, status: "failed" }] };
}

/**
 * The progress of a loop up to now, from its journal, so that a view that comes later shows the earlier
 * iterations too. A journal that does not reach back to the beginning tells none.
 */
export async function progressSoFar(
  loops: Pick<LoopService, "events">,
  state: LoopState,
): Promise<Progress> {
  let progress: Progress | undefined;
  for await (const recorded of loops.events(state.loop_id)) {
    if (recorded.revision > (state.revision ?? 0)) break;
    if (recorded.event.type === "loop.created") progress = initialProgress(recorded.event.loop);
    else if (progress)
      progress = applyEvent(progress, { kind: "recorded", id: state.loop_id, recorded });
  }
  return { ...(progress ?? initialProgress(state)), state };
}
