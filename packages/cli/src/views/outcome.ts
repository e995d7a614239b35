import { join } from "node:path";
import { exitCodeOf, type LoopState, limitsOf, tasksOf } from "@ccw-loop/core";
import type { Context } from "../context.ts";
import { loopFolder } from "../project-root.ts";
import { durationFlag, formatDuration } from "../text/duration.ts";
import { inertLine } from "../text/inert-text.ts";
import type { Tone } from "../text/paint.ts";
import { namedRows } from "../text/rows.ts";
import { waitingText } from "./facts.ts";
import { receiptLines } from "./receipt.ts";

/** How a loop stands, for programs: the `data` of `run`, `resume` and `watch`. */
export function outcomeData(state: LoopState, root: string) {
  const tasks = tasksOf(state);
  return {
    loop_id: state.loop_id,
    title: state.title,
    status: state.status,
    outcome: state.outcome ?? null,
    waiting: state.waiting ?? null,
    exit_code: exitCodeOf(state),
    iteration: state.current_iteration,
    max_iterations: state.max_iterations,
    tasks: {
      total: tasks.length,
      completed: tasks.filter((task) => task.status === "completed").length,
    },
    receipt: state.receipts?.at(-1) ?? null,
    files_changed: filesChanged(state),
    usage: state.usage ?? null,
    state_file: stateFile(root, state.loop_id),
    next: nextCommands(state),
  };
}

/** The same for people: what was verified and how, which files, what to do next. */
export function outcomeText(
  state: LoopState,
  { root, paint }: Pick<Context, "root" | "paint">,
  next: string[] = nextCommands(state),
): string {
  const [tone, title] = headline(state);
  const files = filesChanged(state);
  const receipt = state.receipts?.at(-1);
  const rows: [string, string[]][] = [
    ["Loop", [`${state.loop_id}, ${statusText(state)}`]],
    ["Verified", receipt ? receiptLines(receipt) : ["nothing yet: the tests have not been run"]],
    ["Files", files.length > 0 ? files : ["no file was changed"]],
    ["Work", [workText(state)]],
    ["State", [stateFile(root, state.loop_id)]],
    ["Next", next],
  ];
  const first = `${paint(tone, title)} ${inertLine(state.title)}`;
  return [first, ...namedRows(rows, paint)].join("\n");
}

function headline(state: LoopState): [Tone, string] {
  const { status, outcome, waiting } = state;
  if (status === "completed") {
    const waived = outcome?.code === "waived";
    return waived ? ["care", "Completed, tests waived:"] : ["good", "Completed and proven:"];
  }
  if (status === "failed") {
    const why = inertLine(outcome?.message ?? state.failure_reason ?? "");
    const verb = outcome?.code === "stopped_by_user" ? "Stopped" : "Failed";
    return ["bad", `${verb} (${outcome?.code ?? "unknown"}: ${why})`];
  }
  if (waiting) return ["care", `${inertLine(waitingText(waiting))} ·`];
  const words = { created: "Created:", running: "Running:", paused: "Paused:", user_exit: "Left:" };
  return ["care", words[status]];
}

function workText(state: LoopState): string {
  const { usage } = state;
  const tasks = tasksOf(state);
  const done = tasks.filter((task) => task.status === "completed").length;
  return [
    `${state.current_iteration} of ${state.max_iterations} iterations`,
    `${done} of ${tasks.length} tasks`,
    ...(usage ? [`${formatDuration(usage.active_ms)} of work`, `${usage.turns} turns`] : []),
    ...(usage && usage.total_tokens > 0 ? [`${usage.total_tokens} tokens`] : []),
  ].join(", ");
}

/** Every file that a task changed, as it was measured; sorted, each once. */
export function filesChanged(state: LoopState): string[] {
  return [...new Set(tasksOf(state).flatMap((task) => task.files_changed))].sort();
}

export function stateFile(root: string, id: string): string {
  return join(loopFolder(root), `${id}.json`);
}

/** Commands that make sense from here. */
export function nextCommands(state: LoopState): string[] {
  const id = state.loop_id;
  const look = `ccw-loop show ${id}`;
  switch (state.status) {
    case "completed":
      return [`ccw-loop show ${id} --receipt`, `ccw-loop logs ${id}`];
    case "failed":
      return [`ccw-loop why ${id}`, `ccw-loop logs ${id}`, reopenCommand(state)];
    case "paused":
      return [`ccw-loop resume ${id}`, look];
    case "created":
    case "user_exit":
      return [`ccw-loop run --loop-id ${id}`, look];
    case "running":
      return state.waiting ? [...answerCommands(state), look] : [`ccw-loop watch ${id}`, look];
  }
}

/** How an ended loop is taken up again: a limit that was reached has to be raised. */
export function reopenCommand(state: LoopState): string {
  const base = `ccw-loop resume ${state.loop_id} --reopen`;
  if (state.status === "completed") return `ccw-loop tasks add ${state.loop_id} "…" && ${base}`;
  const limits = limitsOf(state);
  switch (state.outcome?.code) {
    case "max_iterations":
      return `${base} --max-iterations ${state.max_iterations + 10}`;
    case "max_duration":
      return `${base} --max-duration ${durationFlag(limits.max_duration_ms * 2)}`;
    case "max_turns":
      return `${base} --max-turns ${limits.max_turns * 2}`;
    case "budget_exhausted":
      return `${base} --max-tokens ${limits.max_tokens * 2}`;
    default:
      return base;
  }
}

function answerCommands(state: LoopState): string[] {
  if (state.waiting?.kind === "usage_limit") return [`ccw-loop resume ${state.loop_id}`];
  const options = state.waiting?.options?.join("|") ?? "…";
  return [
    `ccw-loop answer ${state.loop_id} "${options}"`,
    `ccw-loop run --loop-id ${state.loop_id}`,
  ];
}

/** `completed (proven)`: the status, and why it ended where it has. */
export function statusText({ status, outcome }: LoopState): string {
  return outcome ? `${status} (${outcome.code})` : status;
}
