import type { LoopState } from "@ccw-loop/core";
import { waitEndsAt } from "../run/wait-end.ts";

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
