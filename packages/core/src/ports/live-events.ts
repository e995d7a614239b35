import { z } from "zod";
import type { Known } from "../json.ts";
import type { RecordedEvent } from "../machine/events.ts";
import type { LoopState } from "../state/loop-state.ts";
import { ActionName } from "../state/skill-state.ts";
import { TurnEvent } from "./agent.ts";
import { TestProgress } from "./verifier.ts";

/** What `watch` yields: facts from the journal, and what the agent and the tests do meanwhile. */
export type LiveEvent =
  | { kind: "recorded"; id: string; recorded: RecordedEvent }
  | { kind: "activity"; id: string; activity: Activity };

/** One record of agent.log. */
export const Activity = z
  .looseObject({
    at: z.string(),
    action: ActionName,
    event: z.discriminatedUnion("type", [
      ...TurnEvent.options,
      z.looseObject({ type: z.literal("verify.output"), text: z.string() }),
      z.looseObject({
        type: z.literal("verify.progress"),
        ...TestProgress.shape,
        total: z.int().exactOptional(),
      }),
      z.looseObject({ type: z.literal("prompt.sent"), text: z.string() }),
    ]),
    /** Absent until it was read from there (`LogRecord`). */
    seq: z
      .int()
      .min(0)
      .exactOptional()
      .describe("Its place in agent.log: it grows, in steps that mean nothing."),
    gap: z
      .literal(true)
      .exactOptional()
      .describe("Records before this one that were asked for are gone."),
  })
  .meta({ id: "Activity" });
export type Activity = Known<z.infer<typeof Activity>>;

export interface WatchOptions {
  /** Facts from behind this revision on; from now on when it is left out. */
  after?: number | undefined;
  /** Activity from behind this place in agent.log on. */
  seq?: number | undefined;
  /** Without `seq`: activity from this time on, RFC 3339; from now on when it is left out, too. */
  since?: string | undefined;
  signal: AbortSignal;
}

/**
 * Observes the loops that this process drives, to notify people or to send traces. It cannot delay or change a loop:
 * what it throws is dropped. Anything else that it needs it reads from the store.
 */
export interface LoopObserver {
  /**
   * A loop was claimed, that stood so when it was last read. Events with a revision above this one follow, and none of
   * this process is recorded before this returns.
   */
  begin(before: LoopState, revision: number): void;
  /** What the loop records and does, in order; also what others record meanwhile. */
  event(live: LiveEvent): void;
  /** The loop is not driven here any more. */
  end(id: string): void;
}
