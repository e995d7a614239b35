import { z } from "zod";
import { LoopError } from "../errors.ts";

/** How long a timestamp with milliseconds in UTC is: the form that `toISOString` writes. */
const CANONICAL = "2026-01-31T12:00:00.000Z".length;

/** RFC 3339 date and time with any offset; parsed values are UTC with `Z`. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .overwrite((text) => {
    if (text.length === CANONICAL && text.endsWith("Z")) return text;
    const date = new Date(text);
    // Text that failed the check above comes here too; it is reported, not thrown.
    return Number.isNaN(date.getTime()) ? text : date.toISOString();
  })
  .meta({ id: "Timestamp", description: "RFC 3339 date and time; written in UTC with Z." });

/** The highest number of a commit: the names of its files have ten digits for it. */
export const LAST_REVISION = 9_999_999_999;
/** The highest epoch of a lease; it stands in ten digits in the name of a folder. */
export const LAST_EPOCH = 9_999_999_999;

/** The number of a commit, in the name of a file as well as in what a file says. */
export const Revision = z.int().min(1).max(LAST_REVISION);

/** The epoch of a lease, in the name of a folder as well as in what a file says. */
export const Epoch = z.int().min(0).max(LAST_EPOCH);

/** The milliseconds of the longest lease: so long, and no longer, an owner that does not renew keeps a loop to itself. */
const LONGEST_LEASE_MS = 60_000;

/** For how many milliseconds a lease is given, where somebody asks for one as well as in what a file says. */
export const LeaseMs = z.number().positive().max(LONGEST_LEASE_MS);

/** Throws `invalid_input` for a time that no lease is given for. */
export function requireLeaseMs(ttlMs: number): void {
  if (LeaseMs.safeParse(ttlMs).success) return;
  throw new LoopError(
    "invalid_input",
    `A lease of ${ttlMs} ms cannot be given: it has to be above 0, and at most ${LONGEST_LEASE_MS} ms.`,
  );
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The highest value of every limit of a loop. Higher ones would bound nothing, and timers cannot count them. */
export const MAX_LIMITS = {
  max_iterations: 1_000_000,
  max_duration_ms: 365 * DAY_MS,
  max_turns: 1_000_000,
  max_tokens: 1_000_000_000_000,
  max_cost_usd: 1_000_000,
  max_stalled: 1_000_000,
  max_consecutive_failures: 1_000_000,
  turn_timeout_ms: 7 * DAY_MS,
  test_timeout_ms: 7 * DAY_MS,
  task_timeout_ms: 7 * DAY_MS,
} as const;

/** A limit that is a whole number; what is none, or too high, is refused with a text that names the highest. */
export function wholeLimit(name: keyof typeof MAX_LIMITS) {
  const text = `${pathOf(name)} must be a whole number from 1 to ${MAX_LIMITS[name]}`;
  return z.int(text).min(1, text).max(MAX_LIMITS[name], text);
}

/** The same for a limit that may have a fraction. */
export function limit(name: keyof typeof MAX_LIMITS) {
  const text = `${pathOf(name)} must be a number above 0, at most ${MAX_LIMITS[name]}`;
  return z.number(text).positive(text).max(MAX_LIMITS[name], text);
}

function pathOf(name: keyof typeof MAX_LIMITS): string {
  return name === "max_iterations" ? name : `limits.${name}`;
}
