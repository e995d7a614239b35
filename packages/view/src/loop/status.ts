import {
  type DevelopTask,
  type LoopState,
  type LoopStatus,
  statusWord,
  type TaskStatus,
  taskAgent,
  tasksOf,
  taskText,
} from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { countdown, waitingText } from "./log.ts";
import { untestedText } from "./tests.ts";

export const STATUS_TONES: Readonly<Record<LoopStatus, Tone>> = {
  created: "plain",
  running: "name",
  paused: "warning",
  completed: "good",
  failed: "bad",
  user_exit: "warning",
};

/** The word for the status, and whether it waits: for how long, where it goes on by itself; or that nobody drives it. */
export function statusSummary(state: LoopState, now: Date, isUndriven = false): string {
  const word = statusWord(state);
  const { status, waiting } = state;
  if (isUndriven) return `${word}, not driven`;
  if (!waiting) return word;
  const left = status === "running" ? countdown(waiting, now) : undefined;
  return `${word}, ${left === undefined || left === "now" ? "waits" : `goes on ${left}`}`;
}

/** How a loop stands, in the words that a title follows. */
export function headline(state: LoopState): [Tone, string] {
  const { status, outcome, waiting } = state;
  if (status === "completed") {
    if (outcome?.code === "waived") return ["warning", "Completed, tests waived:"];
    if (outcome?.code === "accepted") return ["warning", "Completed, objections accepted:"];
    return ["good", "Completed and proven:"];
  }
  if (status === "failed") {
    return ["bad", `${failureWords(state)}: ${failureReason(state)}`];
  }
  if (waiting && status === "running")
    return ["warning", `${sanitizeLine(waitingText(waiting, new Date()))} ·`];
  const words = {
    created: "Created:",
    running: "Running:",
    paused: "Paused:",
    user_exit: "Exited:",
  };
  return ["warning", words[status]];
}

/** How a loop failed, in a word and a code: `Failed (max_iterations)`. */
export function failureWords({ outcome }: LoopState): string {
  const verb = outcome?.code === "stopped_by_user" ? "Stopped" : "Failed";
  return `${verb} (${outcome?.code ?? "unknown"})`;
}

/** Why a loop failed, in a line that may end with a command. */
export function failureReason({ outcome, failure_reason }: LoopState): string {
  return sanitizeLine(outcome?.message ?? failure_reason ?? "");
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

export function filesChanged(state: LoopState): string[] {
  return [...new Set(tasksOf(state).flatMap((task) => task.files_changed))].sort();
}

/** What `View progress` shows: tasks, hypotheses and the last test run. */
export function statusLines(state: LoopState): string[] {
  const skill = state.skill_state;
  const hypotheses = (skill?.debug.hypotheses ?? []).map(
    (h) => `  ${h.id} ${h.status}: ${sanitizeLine(h.description)}`,
  );
  const run = skill?.validate.runs?.at(-1);
  const failed = skill?.validate.failed_tests.map((name) => `  ✖ ${sanitizeLine(name)}`) ?? [];
  return [
    "",
    ...taskLines(state),
    ...(hypotheses.length > 0 ? ["", "Hypotheses", ...hypotheses] : []),
    "",
    run ? `Last test run: ${sanitizeLine(run.reason)}` : untestedText(state),
    ...failed,
  ];
}

export const TASK_LOOKS: Readonly<Record<TaskStatus, { glyph: string; tone: Tone }>> = {
  pending: { glyph: "○", tone: "plain" },
  in_progress: { glyph: "▸", tone: "name" },
  completed: { glyph: "✔", tone: "good" },
  failed: { glyph: "✖", tone: "bad" },
};

/** One line per task: how it stands, its id, what it is, and whose it is where that is not the loop's own agent. */
export function taskLines(
  state: LoopState,
  tasks: readonly DevelopTask[] = tasksOf(state),
): string[] {
  if (tasks.length === 0) return ["  no tasks yet"];
  const width = Math.max(...tasks.map(({ id }) => id.length));
  return tasks.map(
    ({ id, status, ...task }) =>
      `  ${TASK_LOOKS[status].glyph} ${sanitizeLine(id).padEnd(width)}  ${sanitizeLine(givenTaskText(state, task))}`,
  );
}

/** What a task is, and the agent that it is given to where that is not the loop's own. */
export function givenTaskText(
  state: Pick<LoopState, "settings">,
  task: Parameters<typeof taskText>[0],
): string {
  const agent = taskAgent(state, task);
  return agent === undefined ? taskText(task) : `${taskText(task)} (by ${agent})`;
}
