import { z } from "zod";
import { ActionName } from "./skill-state.ts";
import { Timestamp } from "./time.ts";

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
export type Checkpoint = z.infer<typeof Checkpoint>;
