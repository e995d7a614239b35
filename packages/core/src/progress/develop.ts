import type { LoopState } from "../state/loop-state.ts";
import type { SkillState } from "../state/skill-state.ts";
import { type DevelopTask, type TaskRun, taskText } from "../state/task.ts";
import { percent } from "../text.ts";
import { dataPart, heading } from "./data-part.ts";
import { bullets, code, document, fenced, inline, metrics, quote, section } from "./markdown.ts";

/** develop.md: the task list with its boxes, the figures, and one entry per completed task in order of time. */
export function renderDevelop(state: LoopState, skill: SkillState): string {
  const { develop, debug: _debug, validate: _validate, ...rest } = skill;
  const { tasks } = develop;
  const done = completedInOrder(tasks);
  const count = (status: DevelopTask["status"]) => tasks.filter((t) => t.status === status).length;
  return document([
    "# Development Progress",
    heading(state),
    "---",
    "## Task List",
    tasks.map((task, i) => taskLine(task, i + 1)).join("\n") || "_No tasks_",
    "## Current Statistics",
    metrics({
      "Total Tasks": tasks.length,
      Completed: done.length,
      "In Progress": count("in_progress"),
      Pending: count("pending"),
      Failed: count("failed"),
      Progress: `${percent(done.length, tasks.length)}%`,
    }),
    "---",
    "## Progress Timeline",
    ...done.flatMap((task, i) => timelineEntry(task, i + 1)),
    done.length === 0 ? "_Nothing completed yet_" : undefined,
    ...failedCommands(tasks),
    ...section(
      "## Failed Actions",
      skill.errors.map((e) => `${e.timestamp} ${code(e.action)}: ${inline(e.message)}`),
    ),
    // With everything of `skill_state` that has no document of its own.
    dataPart("develop", state, { skill_state: rest, develop }),
  ]);
}

function failedCommands(tasks: readonly DevelopTask[]): string[] {
  const blocks = tasks.flatMap(({ id, status, command_run }) =>
    status === "failed" && command_run ? [`### ${code(id)}`, commandBlock(command_run)] : [],
  );
  return blocks.length === 0 ? [] : ["## Failed Commands", ...blocks];
}

/** Completed tasks by the time they were completed; ties and unknown times keep the order of the list. */
export function completedInOrder(tasks: readonly DevelopTask[]): DevelopTask[] {
  const done = tasks.filter((task) => task.status === "completed");
  return done.sort((a, b) => compare(a.completed_at ?? "", b.completed_at ?? ""));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const REMARK = { pending: "", in_progress: " (in progress)", completed: "", failed: " (failed)" };

function taskLine(task: DevelopTask, number: number): string {
  const box = task.status === "completed" ? "[x]" : "[ ]";
  return `${number}. ${box} ${inline(taskText(task))}${REMARK[task.status]}`;
}

function timelineEntry(task: DevelopTask, number: number): string[] {
  const claimed = task.claimed_files ?? [];
  return [
    `### Iteration ${number} - ${inline(taskText(task))} (${task.completed_at ?? "unknown"})`,
    "#### Task Details",
    [
      `- **ID**: ${code(task.id)}`,
      `- **Tool**: ${inline(task.tool)}`,
      `- **Mode**: ${inline(task.mode)}`,
      ...(task.fixes === undefined ? [] : [`- **Fixes**: ${code(task.fixes)}`]),
    ].join("\n"),
    "#### Implementation Summary",
    task.summary?.trim() ? quote(task.summary) : "_No summary was given_",
    ...(task.command_run ? ["#### Command", commandBlock(task.command_run)] : []),
    "#### Files Changed",
    fileList(task.files_changed),
    ...(claimed.length === 0 ? [] : ["#### Files Claimed by the Agent", fileList(claimed)]),
    "#### Status: COMPLETED",
    "---",
  ];
}

/** What a command showed: itself behind a `$`, the end of its output, and how it ended. */
function commandBlock({ command, output, exit_code, timed_out }: TaskRun): string {
  const ended = timed_out ? "stopped at its time limit" : `exit code ${exit_code}`;
  return fenced([`$ ${command}`, output.trimEnd(), `(${ended})`].filter(Boolean).join("\n"));
}

const FILES_SHOWN = 200;

export function fileList(paths: readonly string[]): string {
  if (paths.length === 0) return "- No files changed";
  return bullets(paths, FILES_SHOWN, (path) => code(path), "more files");
}
