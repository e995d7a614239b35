import { z } from "zod";
import { ActionName } from "../state/skill-state.ts";

export const ActionStatus = z.enum(["success", "failed", "needs_input"]);
export type ActionStatus = z.infer<typeof ActionStatus>;

/** A file the agent says it touched; a claim, the workspace measures the fact. */
export const FileUpdate = z.object({
  path: z.string().trim().min(1),
  description: z.string().trim(),
});
export type FileUpdate = z.infer<typeof FileUpdate>;

/**
 * What an agent says about one action: its claim, not a fact. `action` is `UNKNOWN` in the oldest form, which
 * does not name it. `next_action` is advice: an action, `WAITING_INPUT`, `COMPLETED`, `PAUSED`, `STOPPED`
 * or `NONE`.
 */
export const ActionResult = z
  .object({
    action: z.union([ActionName, z.literal("UNKNOWN")]),
    status: ActionStatus,
    message: z.string().trim(),
    state_updates: z.record(z.string(), z.unknown()),
    files_updated: z.array(FileUpdate),
    next_action: z.string().regex(/^[A-Z][A-Z_]*$/),
  })
  .meta({ id: "ActionResult", title: "ACTION_RESULT of one action" });
export type ActionResult = z.infer<typeof ActionResult>;

/** `problem` is one sentence that a repair prompt can quote. */
export type ParsedActionResult =
  | { ok: true; result: ActionResult }
  | { ok: false; problem: string };
