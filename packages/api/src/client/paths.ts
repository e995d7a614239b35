import { parseLoopId } from "@ccw-loop/core";

export const LOOPS = "/api/loops/v2";

/** The path of a loop. Throws `invalid_id`: a URL is never built from an id that could lead elsewhere. */
export function loopPath(id: string, rest = ""): string {
  return `${LOOPS}/${parseLoopId(id)}${rest}`;
}
