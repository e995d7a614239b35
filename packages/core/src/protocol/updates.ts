import { z } from "zod";
import { isPlain, type Plain } from "../state/plain.ts";
import { TaskMode, TaskTool } from "../state/task.ts";

/**
 * A task as an agent proposes it. Fields that only the orchestrator may set (status, id, …) are dropped, and so are a
 * tool and a mode that there are none of.
 */
export const TaskProposal = z.preprocess(
  (value) => (typeof value === "string" ? { description: value } : withDescription(value)),
  z.object({
    description: z.string().trim().min(1),
    tool: TaskTool.optional().catch(undefined),
    mode: TaskMode.optional().catch(undefined),
    /** The failed task or the hypothesis this one repairs. */
    fixes: z.string().min(1).nullish().transform(present),
  }),
);
export type TaskProposal = z.infer<typeof TaskProposal>;

/** `state_updates` of INIT: the plan. `{develop: {tasks}}` is read as well. */
export const InitUpdates = z.preprocess(
  (value) => lifted(value, "develop", "tasks"),
  z.object({
    tasks: z.array(TaskProposal).min(1),
    /** Tests that fail already and are none of this loop's business, as parts of their names. */
    set_aside: z.array(z.string().min(1)).nullish().transform(present),
  }),
);
export type InitUpdates = z.infer<typeof InitUpdates>;

/** `state_updates` of DEVELOP: what was done, for the timeline; empty when the agent says nothing. */
export const DevelopUpdates = z.preprocess(
  (value) => lifted(value, "develop", "summary"),
  z.object({
    summary: z
      .string()
      .nullish()
      .transform((text) => text?.trim() ?? ""),
  }),
);
export type DevelopUpdates = z.infer<typeof DevelopUpdates>;

function present<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Planners name a task's text `title` or `task` as often as `description`. */
function withDescription(value: unknown): unknown {
  if (!isPlain(value) || typeof value.description === "string") return value;
  return { ...value, description: value.title ?? value.task };
}

/** The updates with `key` at the top, wherever an agent that knows the state file put it. */
function lifted(value: unknown, part: string, key: string): unknown {
  if (!isPlain(value) || Object.hasOwn(value, key)) return value;
  const skill: Plain = isPlain(value.skill_state) ? value.skill_state : value;
  const inner = skill[part];
  return isPlain(inner) && Object.hasOwn(inner, key) ? { ...value, [key]: inner[key] } : value;
}
