import { z } from "zod";
import { LoopId } from "../ids.ts";
import type { Known } from "../json.ts";
import { visible } from "../text.ts";
import { Timestamp } from "./scalars.ts";

export const TaskStatus = z.enum(["pending", "in_progress", "completed", "failed"]);
export type TaskStatus = Known<z.infer<typeof TaskStatus>>;

/** The tools that a task may be given: those of the seeds and of the dashboard. */
export const TaskTool = z.enum([
  "bash",
  "gemini",
  "qwen",
  "codex",
  "claude",
  "opencode",
  "copilot",
]);
export type TaskTool = Known<z.infer<typeof TaskTool>>;

export const TaskMode = z.enum(["analysis", "write", "review"]);
export type TaskMode = Known<z.infer<typeof TaskMode>>;

/** What becomes of the loop when the task fails: DEBUG looks at it, the loop pauses, or the loop ends. */
export const OnError = z.enum(["continue", "pause", "fail_fast"]);
export type OnError = Known<z.infer<typeof OnError>>;

/** What a command that was run for a task came to. */
export const TaskRun = z
  .looseObject({
    command: z.string(),
    /** Null when its time limit, or a signal, ended it. */
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    /** The last 4 KB of stdout and stderr together, without control sequences. */
    output: z.string(),
    timed_out: z.boolean(),
  })
  .meta({ id: "TaskRun" });
export type TaskRun = Known<z.infer<typeof TaskRun>>;

/**
 * One task of the loop (seed 000 DevelopTask). The optional fields below `completed_at` are those of the
 * control plane's tasks.jsonl and our own; there is one task list. A file of another program may name any
 * tool, mode and on_error; what is added or changed here names one of `TaskTool`, `TaskMode` and `OnError`.
 */
export const DevelopTask = z
  .looseObject({
    id: z.string().min(1),
    description: z.string(),
    tool: z.string().default("codex"),
    mode: z.string().default("write"),
    status: TaskStatus.default("pending"),
    files_changed: z.array(z.string()).default([]),
    created_at: Timestamp.nullable().default(null),
    completed_at: Timestamp.nullable().default(null),
    prompt_template: z.string().optional(),
    command: z.string().optional(),
    on_error: z.string().optional(),
    updated_at: Timestamp.optional(),
    /** What the agent says it did. */
    summary: z.string().optional(),
    /** Files the agent claims, kept when they differ from the measured `files_changed`. */
    claimed_files: z.array(z.string()).optional(),
    /** How often DEVELOP finished with this task, in success or failure. */
    attempts: z.int().nonnegative().optional(),
    /** A failed task that DEBUG has looked at since. */
    debugged: z.boolean().optional(),
    /** The failed task or hypothesis this one repairs. */
    fixes: z.string().optional(),
    /** Of a task that is a command: what its last run came to. */
    command_run: TaskRun.optional(),
    /** The command is an agent's or an issue's, and no operator has named it since. */
    proposed: z.boolean().optional(),
  })
  .meta({ id: "DevelopTask" });
export type DevelopTask = Known<z.infer<typeof DevelopTask>>;

/** A shell takes it as one word, which the system bounds; quoted it may be four times as long. */
export const LONGEST_COMMAND = 16_384;

/**
 * The command that the orchestrator runs for this task instead of asking the agent; null for every other task. It is
 * always `command`: a description is text for an agent, whoever wrote it (`decide` makes a person's text the command).
 */
export function taskCommand({
  tool,
  command,
}: {
  tool?: string | undefined;
  command?: string | undefined;
}): string | null {
  if (tool !== "bash" || command === undefined) return null;
  const isRunnable = command.trim() !== "" && command.length <= LONGEST_COMMAND;
  return isRunnable && !command.includes("\0") ? command : null;
}

/** A command in one line, behind a `$`: nothing of what is run is hidden, and a new line is shown as `⏎`. */
export function commandLine(command: string): string {
  return `$ ${visible(command.trim()).replaceAll("\n", " ⏎ ")}`;
}

/** What the task is, for people: its description, or its command as `commandLine` shows it. */
export function taskText(task: Pick<DevelopTask, "description" | "tool" | "command">): string {
  const command = taskCommand(task);
  if (command === null) return task.description;
  const line = commandLine(command);
  return task.description === command ? line : `${line} (${task.description})`;
}

/** A task whose work must leave every file as it is. */
export function isAnalysis({ mode }: { mode?: string | undefined }): boolean {
  return mode === "analysis";
}

export const NewTask = DevelopTask.extend({
  id: LoopId,
  /** Absent: the loop's own agent. */
  tool: TaskTool.optional(),
  mode: TaskMode.default("write"),
  on_error: OnError.optional(),
});
export type NewTask = Known<z.infer<typeof NewTask>>;

/** A change of a task as the journal keeps it. No defaults: what is not named stays. */
export const TaskChanges = z.object({
  description: z.string().trim().min(1).optional(),
  tool: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
  prompt_template: z.string().optional(),
  command: z.string().optional(),
  on_error: z.string().optional(),
});
export type TaskChanges = Known<z.infer<typeof TaskChanges>>;

export const TaskEdit = TaskChanges.extend({
  tool: TaskTool.optional(),
  mode: TaskMode.optional(),
  on_error: OnError.optional(),
});
export type TaskEdit = Known<z.infer<typeof TaskEdit>>;

/** One line of `{loopId}.tasks.jsonl`, the control plane's spelling of a task. */
export const TaskLine = z
  .looseObject({
    task_id: z.string().min(1),
    description: z.string(),
    tool: z.string().default("codex"),
    mode: z.string().default("write"),
    prompt_template: z.string().default(""),
    order: z.number().default(0),
    created_at: Timestamp.nullable().default(null),
    updated_at: Timestamp.nullable().default(null),
    command: z.string().optional(),
    on_error: z.string().optional(),
  })
  .meta({ id: "TaskLine" });
export type TaskLine = Known<z.infer<typeof TaskLine>>;
