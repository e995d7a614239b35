import { z } from "zod";
import type { LoopSummary } from "../machine/loop-summary.ts";
import type { LoopPage } from "./store.ts";

/** Who drives a loop. No part of its state: it follows from the lease. */
export const Driver = z.object({
  /** Null when nobody drives the loop. */
  driven_by: z.string().nullable().describe("The owner of its lease."),
  /** When its last driver was seen last, or it became due (RFC 3339). Null for every other one, also for a loop that waits or rests. */
  undriven_since: z
    .string()
    .nullable()
    .describe("Since when nobody drives a loop that is to be driven."),
});
export type Driver = z.infer<typeof Driver>;

/** A loop that is to be driven, and since when nobody does. */
export interface UndrivenLoop {
  id: string;
  since: string;
}

/** A page of loops, with those of them that nobody drives although they are to be driven. */
export interface LoopList extends LoopPage {
  undriven: UndrivenLoop[];
}

/** A page of loops in short; each says itself whether nobody drives it. */
export interface SummaryList extends Omit<LoopPage, "loops"> {
  loops: LoopSummary[];
}

/** What became of a loop; null: it was deleted. */
export interface SummaryChange {
  id: string;
  summary: LoopSummary | null;
}
