import { z } from "zod";
import { ActionName } from "../state/skill-state.ts";
import { NewTask, TaskEdit } from "../state/task.ts";
import { LoopEdit } from "./events.ts";

/** What an operator may ask of a loop; may be refused (DESIGN §5). */
export const LoopCommand = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start") }),
  z.object({ type: z.literal("pause"), reason: z.string().optional() }),
  z.object({
    type: z.literal("resume"),
    /** Also from `failed` and `completed`; what changed to make going on worth while is in `changes` or a task. */
    reopen: z.boolean().optional(),
    changes: LoopEdit.optional(),
    /** Also a running loop that waits for a usage limit: try again at once. */
    now: z.boolean().optional(),
  }),
  z.object({ type: z.literal("stop"), reason: z.string().optional() }),
  z.object({ type: z.literal("exit") }),
  z.object({ type: z.literal("edit"), changes: LoopEdit }),
  z.object({ type: z.literal("choose"), action: ActionName }),
  z.object({ type: z.literal("answer"), text: z.string() }),
  z.object({ type: z.literal("add_task"), task: NewTask }),
  z.object({ type: z.literal("edit_task"), task_id: z.string(), changes: TaskEdit }),
  z.object({ type: z.literal("remove_task"), task_id: z.string() }),
  z.object({ type: z.literal("reorder_tasks"), task_ids: z.array(z.string()).min(1) }),
]);
export type LoopCommand = z.infer<typeof LoopCommand>;
