/** Bounds of live streams. */
export interface LiveLimits {
  /** Messages that one channel keeps for listeners who come back. */
  ringMessages: number;
  /** Bytes of them. */
  ringBytes: number;
  /** Bytes of all channels together: each has its share of them when there are many. */
  totalBytes: number;
  /** A listener with more that it did not read is cut. */
  unreadBytes: number;
  /** Messages are gathered for so long into one write. */
  tickMs: number;
  pingMs: number;
  /** A listener that is being given the past and takes nothing of it for so long is cut. */
  stallMs: number;
}

export const LIVE_LIMITS: LiveLimits = {
  ringMessages: 20_000,
  ringBytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  unreadBytes: 1024 * 1024,
  tickMs: 40,
  pingMs: 15_000,
  stallMs: 15_000,
};
