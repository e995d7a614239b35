import { join } from "node:path";
import { exitCodeOf, type LoopState, openObjections, tasksOf } from "@ccw-loop/core";
import type { Context } from "../context.ts";
import { loopFolder } from "../project-root.ts";
import { inertLine, inertText } from "../text/inert-text.ts";
import type { Tone } from "../text/paint.ts";
import { type NamedRow, namedRows } from "../text/rows.ts";
import { hasLongQuestion, waitingText } from "./facts.ts";
import { usedText } from "./limits.ts";
import { nextCommands } from "./next-commands.ts";
import { few, objectionLines } from "./proof.ts";
import { receiptLines } from "./receipt.ts";
import { worktreeLines, worktreeOf } from "./worktree.ts";

/** How a loop stands, for programs: the `data` of `run`, `resume` and `watch`. */
export function outcomeData(state: LoopState, place: Place) {
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
    objections: openObjections(state),
    files_changed: filesChanged(state),
    usage: state.usage ?? null,
    worktree: worktreeOf(state),
    state_file: stateFile(place, state.loop_id),
    next: nextCommands(state),
  };
}

/** The same for people: what was verified and how, which files, what to do next. */
export function outcomeText(
  state: LoopState,
  { paint, ...place }: Pick<Context, "root" | "remote" | "paint">,
  next: string[] = nextCommands(state),
): string {
  const [tone, title] = headline(state);
  const files = filesChanged(state);
  const receipt = state.receipts?.at(-1);
  const rows: NamedRow[] = [
    ["Loop", [`${state.loop_id}, ${statusText(state)}`]],
    ["Verified", receipt ? receiptLines(receipt) : ["nothing yet: the tests have not been run"]],
    ["Coverage", coverageLines(state)],
    [state.status === "completed" ? "Accepted" : "Objections", objectionsOf(state)],
    ["Files", files.length > 0 ? files : ["no file was changed"]],
    ["Worktree", worktreeLines(state)],
    ["Work", [workText(state)]],
    ["State", [stateFile(place, state.loop_id)]],
    ["Next", next],
  ];
  const first = `${paint(tone, title)} ${inertLine(state.title)}`;
  return [first, ...questionLines(state), ...namedRows(rows, paint)].join("\n");
}

/** The share of the lines that the newest test run covered, where it measured that. */
export function coverageLines({ skill_state, settings }: LoopState): string[] {
  // Before the first run the seeds' 0 stands there.
  const { coverage: covered = null, last_run_at = null } = skill_state?.validate ?? {};
  if (covered === null || last_run_at === null) return [];
  const least = settings?.min_coverage;
  return [
    `${covered} % of the lines${least === undefined ? "" : `, at least ${least} % asked for`}`,
  ];
}

/** Those of a waiting loop are in its question. */
function objectionsOf(state: LoopState): string[] {
  return state.waiting?.about === "objections" ? [] : few(objectionLines(state));
}

/** The whole question of a waiting loop where it is too long for the headline. */
function questionLines({ waiting }: LoopState): string[] {
  if (!waiting || !hasLongQuestion(waiting) || waiting.prompt === undefined) return [];
  return ["", ...inertText(waiting.prompt).split("\n"), ""];
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
  if (waiting && status === "running")
    return ["care", `${inertLine(waitingText(waiting, new Date()))} ·`];
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
    ...(usage ? [usedText(usage)] : []),
  ].join(", ");
}

/** Every file that a task changed, as it was measured; sorted, each once. */
export function filesChanged(state: LoopState): string[] {
  return [...new Set(tasksOf(state).flatMap((task) => task.files_changed))].sort();
}

/** What tells where a loop is kept. */
export type Place = Pick<Context, "root" | "remote">;

/** The path of its state file; of a loop on a control plane its URL, because nobody here knows the path. */
export function stateFile({ root, remote }: Place, id: string): string {
  if (remote) return `${remote.url.replace(/\/+$/, "")}/api/loops/v2/${id}`;
  return join(loopFolder(root), `${id}.json`);
}

/** `completed (proven)`: the status, and why it ended where it has. */
export function statusText({ status, outcome }: LoopState): string {
  return outcome ? `${status} (${outcome.code})` : status;
}
