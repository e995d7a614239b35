import { z } from "zod";
import { Timestamp } from "./time.ts";

export const TaskStatus = z.enum(["pending", "in_progress", "completed", "failed"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/**
 * One task of the loop (seed 000 DevelopTask). The optional fields below `completed_at` are those of the
 * control plane's tasks.jsonl and our own; there is one task list (DESIGN §10).
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
  })
  .meta({ id: "DevelopTask" });
export type DevelopTask = z.infer<typeof DevelopTask>;

/** What an operator may change about a task. No defaults: what is not named stays. */
export const TaskChanges = z.object({
  description: z.string().trim().min(1).optional(),
  tool: z.string().min(1).optional(),
  mode: z.string().min(1).optional(),
  prompt_template: z.string().optional(),
  command: z.string().optional(),
  on_error: z.string().optional(),
});
export type TaskChanges = z.infer<typeof TaskChanges>;

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
export type TaskLine = z.infer<typeof TaskLine>;
