import type { Clock, LoopService } from "@ccw-loop/core";

export const LIVE_LIMITS = {
  /** Messages become readable together, so many milliseconds after the first of them. */
  tickMs: 40,
  pingMs: 15_000,
  /** A reader that takes nothing for so long, although there is something for it, loses its stream. */
  stallMs: 15_000,
  /** So many bytes wait in a stream for its reader; the next ones are read when it takes these. */
  streamBytes: 64 * 1024,
  /** Messages that a log keeps for readers that are late or come back, and bytes of them. */
  kept: 2_000,
  keptBytes: 4 * 1024 * 1024,
};

export type LiveLimits = typeof LIVE_LIMITS;

export interface LiveContext {
  service: LoopService;
  clock: Clock;
  limits: LiveLimits;
}
