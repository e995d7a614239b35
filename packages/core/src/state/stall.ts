import { z } from "zod";

/** One executed iteration that brought no advance. */
export const Attempt = z.looseObject({
  iteration: z.int(),
  action: z.string(),
  /** What was tried and what it came to, on one line. */
  text: z.string(),
});
export type Attempt = z.infer<typeof Attempt>;

/** What is known about a loop's progress, judged on measured facts after every iteration (ADR 16). */
export const Stall = z.looseObject({
  /** Iterations since the last advance; a first repair that waits for its test run is not among them. */
  stalled: z.int().default(0),
  /** The last iterations in a row that brought nothing new at all. */
  idle: z.int().default(0),
  /** Repairs since the last VALIDATE that are not counted in `stalled`. */
  unmeasured: z.int().default(0),
  /** Test runs since the last advance that failed in another way than any before, and no worse. */
  sidesteps: z.int().default(0),
  /** DEBUG was put in the place of the next repair since the last advance. */
  debugged: z.boolean().default(false),
  /** Most planned tasks that were ever done, fewest tests that ever failed, best whole percent of coverage. */
  best_done: z.int().default(0),
  best_failing: z.int().nullable().default(null),
  best_coverage: z.int().nullable().default(null),
  /** Tests that failed in the last run; null while there was none, or where they cannot be counted. */
  last_failing: z.int().nullable().default(null),
  /** Most hypotheses that were ever decided on evidence. */
  decided: z.int().default(0),
  /** Fingerprints of trees and of failing sets that were seen, newest last. */
  trees: z.array(z.string()).default([]),
  failures: z.array(z.string()).default([]),
  /** The newest iterations since the last advance. */
  tried: z.array(Attempt).default([]),
  /** What a person said when asked; told to the agent until the next advance. */
  guidance: z.string().optional(),
});
export type Stall = z.infer<typeof Stall>;
