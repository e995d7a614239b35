import type {
  LiveEvent,
  LoopError,
  LoopService,
  LoopState,
  ReceiptCheck,
  VerifyReceiptOptions,
} from "@ccw-loop/core";

/** What a supervisor tells about itself, beside the events of its loops. */
export type SupervisorNotice =
  | { type: "loop.taken"; id: string }
  /** It ended, waits, or was given back by a drain. */
  | { type: "loop.given_back"; id: string; state: LoopState }
  /** Another owner has it: this one was suspended for longer than its lease. */
  | { type: "loop.lost"; id: string }
  /** It could not be driven, or not even read, and is tried again. */
  | { type: "loop.put_off"; id: string; error: LoopError; retry_in_ms: number }
  /** The loops cannot be listed or watched; those under way are not concerned. */
  | { type: "store.failed"; error: LoopError; retry_in_ms: number }
  /** It takes no more loops, and gives back those it drives. */
  | { type: "drain.started"; ids: string[] };

export interface SuperviseOptions {
  /** Loops driven at once; 4 by default. Those that wait do not count. */
  concurrency?: number;
  /** What this supervisor has: it leaves loops that need anything else to others. None by default. */
  labels?: readonly string[];
  /** Only loops that bring a repository with them: the files of any other one are on a machine that is not known. */
  onlyRepositories?: boolean;
  /**
   * Aborting drains: no more loops are taken, running turns end and are recorded, and the loops stay running for the
   * next supervisor.
   */
  signal: AbortSignal;
  /** For so long a drain lets actions that are under way come to their end, in milliseconds; 0 by default. */
  graceMs?: number;
  /** What the loops driven here record and do, in the order of each loop. Must not throw. */
  onEvent?: (event: LiveEvent) => void;
  /** Must not throw. */
  onNotice?: (notice: SupervisorNotice) => void;
}

export interface VerifyFileOptions extends Omit<VerifyReceiptOptions, "revision"> {
  /** Paths from the project root that count as if they were not there: the receipt's own file. */
  without?: readonly string[];
}

/** What came of a loop of an archive. */
export interface RestoredLoop {
  id: string;
  /** False where it was there already, at this revision or a later one, and where it could not be made. */
  made: boolean;
  /** Why it could not: `loop_exists` for another one of that name. */
  error: LoopError | null;
}

/**
 * `LoopService`, and what only this machine can do: supervise loops, check receipts without a loop, and move loops to
 * another store.
 */
export interface LocalLoops extends LoopService {
  /**
   * As `verify`, for the text of a file that `receipt` made: whether it proves what lies in the project folder, which may be
   * a clone without loops. Runs `command`, else the one that is found in the files of the start; never one of the receipt.
   */
  verifyReceipt(text: string, options?: VerifyFileOptions): Promise<ReceiptCheck>;
  /**
   * Drives every running loop that nobody drives, also those that begin to run later, until `signal` aborts; resolves
   * when all of them are given back. Any number of supervisors may share a project. Throws `invalid_input` for a
   * concurrency that is no positive integer; failures of loops and of the store are notices.
   */
  supervise(options: SuperviseOptions): Promise<void>;
  /** A loop as lines of an archive. Throws `loop_not_found`, `store_corrupt`. */
  archive(id: string): Promise<string[]>;
  /**
   * Makes the loops of an archive, after all of it was read once: `lines` is called twice. A loop that ran is paused, for it may
   * still run where it was. Throws `invalid_input` with the number of a line that is wrong; then nothing was made.
   */
  restore(lines: () => AsyncIterable<string>): Promise<RestoredLoop[]>;
}
