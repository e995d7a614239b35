import type { LiveEvent, LoopError, LoopService, LoopState } from "@ccw-loop/core";

/** What a supervisor tells about itself, beside the events of its loops. */
export type SupervisorNotice =
  | { type: "loop.taken"; id: string }
  /** It ended, waits, or was given back by a drain. */
  | { type: "loop.given_back"; id: string; state: LoopState }
  /** Another owner has it: this one was suspended for longer than its lease. */
  | { type: "loop.lost"; id: string }
  /** It could not be driven, or not even read, and is tried again; `unsaid` notices of this code were left out before. */
  | { type: "loop.put_off"; id: string; error: LoopError; retry_in_ms: number; unsaid: number }
  /** The loops cannot be listed or watched; those under way are not concerned. */
  | { type: "store.failed"; error: LoopError; retry_in_ms: number; unsaid: number }
  /** It takes no more loops, and gives back those it drives. */
  | { type: "drain.started"; ids: string[] };

export interface SuperviseOptions {
  /** Loops driven at once; 4 by default. Those that wait do not count. */
  concurrency?: number;
  /** Aborting drains: running turns end and are recorded, and the loops stay running for the next supervisor. */
  signal: AbortSignal;
  /** What the loops driven here record and do, in the order of each loop. Must not throw. */
  onEvent?: (event: LiveEvent) => void;
  /** Must not throw. */
  onNotice?: (notice: SupervisorNotice) => void;
}

/** The service beside its loops: it can also drive whatever runs. */
export interface LocalLoops extends LoopService {
  /**
   * Drives every running loop that nobody drives, also those that begin to run later, until `signal` aborts; resolves
   * when all of them are given back. Any number of supervisors may share a project. Throws `invalid_input` for a
   * concurrency that is no whole number from 1 on; failures of loops and of the store are notices.
   */
  supervise(options: SuperviseOptions): Promise<void>;
}
