import type { LoopState, Waiting } from "@ccw-loop/core";

/** What a supervisor has to do with a loop: drive it, look at it at a wall time (ms), or nothing until it changes. */
export type Disposition = "drive" | "leave" | { until: number };

export function dispositionOf(
  { status, waiting }: Pick<LoopState, "status" | "waiting">,
  now: number,
): Disposition {
  if (status !== "running") return "leave";
  if (!waiting) return "drive";
  const end = waitEndsAt(waiting);
  if (end === null) return "leave";
  return end <= now ? "drive" : { until: end };
}

/**
 * When the wait for a usage limit ends, in milliseconds of the wall clock; null for a wait that time alone does not
 * end.
 */
export function waitEndsAt({ kind, since, until }: Waiting): number | null {
  return kind === "usage_limit" ? Date.parse(until ?? since) : null;
}
