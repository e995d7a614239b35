import { LoopError, parseLoopId } from "@ccw-loop/core";

/** An id of a loop or a task, as a path or a body names it. Throws `invalid_id` with `text`, upstream's at that place. */
export function parseIdParam(id: string, text: string): string {
  try {
    return parseLoopId(id);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new LoopError("invalid_id", text, { cause: error, details: { message } });
  }
}
