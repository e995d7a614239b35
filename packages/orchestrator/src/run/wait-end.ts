import type { Waiting } from "@ccw-loop/core";

/** How long to wait for a usage limit whose reset time the agent did not tell. */
const UNKNOWN_RESET_MS = 15 * 60 * 1000;

/** When a usage limit is to be tried again, in milliseconds of the wall clock; null for what time alone does not end. */
export function waitEndsAt({ kind, since, until }: Waiting): number | null {
  if (kind !== "usage_limit") return null;
  return until === undefined ? Date.parse(since) + UNKNOWN_RESET_MS : Date.parse(until);
}
