import { type Checkpoint, type FileChange, isLoopError, type LoopState } from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";

/** The checkpoint from before the first action. */
export function startOf({ checkpoints }: LoopState): Checkpoint | undefined {
  return checkpoints?.[0]?.action === null ? checkpoints[0] : undefined;
}

/** What differs between two trees; null where the first of them is not known, or not any more. */
export async function changesBetween(
  { workspace }: RunContext,
  from: string | undefined,
  to: string,
): Promise<FileChange[] | null> {
  if (from === undefined) return null;
  try {
    return await workspace.changes(from, to);
  } catch (error) {
    if (isLoopError(error, "invalid_input")) return null;
    throw error;
  }
}
