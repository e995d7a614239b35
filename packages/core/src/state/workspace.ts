import { z } from "zod";
import type { Known } from "../json.ts";
import { Timestamp } from "./scalars.ts";
import { ActionName } from "./skill-state.ts";

/** How many paths that changed from outside a state names; the journal has more. */
export const OUTSIDE_KEPT = 100;

/** A file that changed while nothing of this loop ran. */
export const OutsideChange = z.looseObject({
  path: z.string(),
  at: Timestamp,
  /** How often while the loop was driven: between its own turns and test runs. */
  times: z.int().nonnegative(),
});
export type OutsideChange = Known<z.infer<typeof OutsideChange>>;

/** A file that is no part of what is measured, kept and proven. */
export const LeftOut = z.looseObject({
  path: z.string(),
  /** `output`: what the orchestrator prints goes there. `restless`: it changes although nothing of the loop runs. */
  why: z.enum(["output", "restless"]),
});
export type LeftOut = Known<z.infer<typeof LeftOut>>;

/** The files of a loop, as far as its state knows them. Trees are names that its workspace gave. */
export const WorkspaceState = z.looseObject({
  tree: z.string().nullable().default(null),
  /** The loop's own worktree, where it has one. */
  path: z.string().optional(),
  branch: z.string().optional(),
  /** The machine that has it, where it is a clone of the loop's repository. */
  machine: z.string().optional(),
  /** A rewind that may not have put back every file yet: the checkpoint to restore. */
  restoring: z.string().nullish(),
  /** Paths that the rewind leaves as they are. */
  restoring_leaves: z.array(z.string()).optional(),
  /** As the last turn or test run left them; null while one runs, and where a crash keeps it unknown. */
  seen: z.string().nullish(),
  /** As they were when the loop began, with everything that changed from outside since done to them. */
  start: z.string().nullish(),
  /** The newest files that changed from outside. */
  outside: z.array(OutsideChange).optional(),
  left_out: z.array(LeftOut).optional(),
  /** Passing test runs in a row that count no more, because files changed from outside behind them. */
  outdated_runs: z.int().nonnegative().optional(),
});
export type WorkspaceState = Known<z.infer<typeof WorkspaceState>>;

/** The files as they were behind one action; number 0 is the start of the loop. */
export const Checkpoint = z
  .looseObject({
    n: z.int().nonnegative(),
    at: Timestamp,
    /** Null for number 0, and for what changed from outside. */
    action: ActionName.nullable(),
    /** It keeps what changed while nothing of the loop ran. */
    outside: z.boolean().optional(),
    /** What the workspace keeps the files under; with git a commit behind `refs/ccw-loop/{loopId}/{n}`. */
    commit: z.string(),
    /** The name of the whole content, as receipts name it. */
    tree: z.string(),
    files: z.int().nonnegative().default(0),
    added: z.int().nonnegative().default(0),
    removed: z.int().nonnegative().default(0),
    /** Files that were left out, with the reason: they may hold secrets, or are too large. */
    skipped: z.array(z.looseObject({ path: z.string(), reason: z.string() })).default([]),
  })
  .meta({ id: "Checkpoint" });
export type Checkpoint = Known<z.infer<typeof Checkpoint>>;
