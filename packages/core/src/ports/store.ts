import { z } from "zod";
import type { Known } from "../json.ts";
import type { LoopEvent, RecordedEvent } from "../machine/events.ts";
import { LoopState, type LoopStatus } from "../state/loop-state.ts";
import type { AgentPlace } from "./agent.ts";

/** A loop as it was read: the state always carries the same `revision`. */
export interface StoredLoop {
  state: LoopState;
  revision: number;
}

export interface AppendOptions {
  /** Who causes the events: `cli`, `orchestrator`, … Kept in the journal. */
  actor: string;
  /**
   * A retry with the same id happens once and answers with the first commit. Behind a `#` the id may say what is
   * asked: the same name with something else there throws `op_reused`.
   */
  opId?: string | undefined;
  /** The lease the writer believes to hold; a lower epoch than the store's is refused as `fenced`. */
  epoch?: number | undefined;
}

/** A loop's place in a list: newest `updated_at` first, equal ones by id. */
export type ListPosition = Pick<LoopState, "updated_at" | "loop_id">;

export interface ListQuery {
  status?: LoopStatus;
  tag?: string;
  /** Case-insensitive, in id, title and description. */
  text?: string;
  offset?: number;
  /** Only loops behind this one in the order of the list: stable while loops change, unlike `offset`. */
  after?: ListPosition;
  /** Default 50. */
  limit?: number;
}

export interface LoopPage {
  loops: StoredLoop[];
  /** How many there are; `offset`, `after` and `limit` do not count. */
  total: number;
  /** Loops that cannot be read, with the reason; never hidden. */
  damaged: { id: string; reason: string }[];
}

/** Permission to drive one loop. `epoch` only grows and alone decides; `ttlMs` is when others may claim. */
export interface Lease {
  id: string;
  owner: string;
  epoch: number;
  ttlMs: number;
}

/** The newest lease of a loop, as people are told of it: nothing is decided by it. */
export interface LeaseView {
  owner: string;
  epoch: number;
  /** Its owner lives, and it has not run out. */
  living: boolean;
  /** Milliseconds until it runs out unless it is renewed; 0 for one that does not live. */
  left_ms: number;
  /** When it was renewed last, RFC 3339. */
  renewed_at: string;
}

export interface LogRecord {
  /**
   * Its place in the log since the loop began, which every reader counts alike. It grows from record to record, with
   * steps that mean nothing, also when the oldest records are let go of.
   */
  seq: number;
  record: unknown;
  /** Records before this one that were asked for are gone. */
  gap?: true;
}

export interface ReadLogOptions {
  /** Only records with a higher `seq`. */
  after?: number | undefined;
  /** Goes on with what comes until this signal aborts. */
  follow?: AbortSignal | undefined;
}

/** What whoever runs many loops wants to know of them at any time. */
export interface StoreFigures {
  /** Running loops that somebody drives, that wait for something, and that nobody drives though they are to be driven. */
  driven: number;
  waiting: number;
  queued: number;
  /** Milliseconds since the lease that was renewed longest ago, of those that hold; null where nobody drives. */
  lease_age_ms: number | null;
  /** Leases that ended without being given back and were claimed by somebody since. It only grows. */
  takeovers: number;
}

/** A loop with all that a store keeps of it, to be taken to another one. */
export interface LoopRecords {
  state: LoopState;
  /** What is known of its history, in order, up to that revision. */
  events: readonly RecordedEvent[];
  /** The records of agent.log; they are numbered anew. */
  log: readonly unknown[];
}

/** What a removal or a recovery is bound to. */
export interface RevisionOptions {
  /** Only while this is the newest; `revision_conflict` otherwise. */
  revision?: number | undefined;
}

export const Recovery = z.object({
  /**
   * `journal`: from the history, and from journal or state file what that misses. `documents`: from the progress
   * documents.
   */
  source: z.enum(["journal", "documents"]),
  state: LoopState,
  /** Or what such a file may not say. */
  unknown: z.array(z.string()).describe("Fields that the documents cannot tell."),
  notes: z.array(z.string()),
});
export type Recovery = Known<z.infer<typeof Recovery>>;

/**
 * Durable home of loops. Contract, executable as `describeLoopStore` in `@ccw-loop/testkit`:
 * - `append` is atomic and durable when it resolves: all its events are stored, or none.
 * - Of several writers that name the same revision exactly one wins; the others get `revision_conflict`.
 * - `remove` is such a write: of a removal and an append at the same revision exactly one wins. An append that loses
 *   gets `revision_conflict` or `loop_not_found`. From then on the loop is gone for every reader, also when the process
 *   that removes it dies before all of its files are deleted.
 * - A write of another program to the published state is taken in as `external.edited` as far as it is an operator's to
 *   say (`admitEdit`), and kept aside where it is not or breaks the schema; it is never silently overwritten.
 * - Every method refuses an unsafe id with `invalid_id` before it touches anything.
 */
export interface LoopStore {
  /** Throws `loop_exists`. The loop's first revision is 1. */
  create(state: LoopState, options: AppendOptions): Promise<StoredLoop>;
  /** Throws `loop_not_found`, `store_corrupt`. */
  read(id: string): Promise<StoredLoop>;
  /** Makes a loop as it was elsewhere, at the same revision: all of it, or nothing. Throws `loop_exists`, `invalid_input`. */
  restore(loop: LoopRecords): Promise<StoredLoop>;
  /** Throws `revision_conflict` unless `revision` is the newest, `fenced` for a lost lease. */
  append(
    id: string,
    revision: number,
    events: readonly LoopEvent[],
    options: AppendOptions,
  ): Promise<StoredLoop>;
  /** What the commit with that op id made; null when there is none. As safe as a new commit. Throws `loop_not_found`. */
  operation(id: string, opId: string): Promise<StoredLoop | null>;
  /** Newest `updated_at` first. */
  list(query?: ListQuery): Promise<LoopPage>;
  /** Recorded events with a revision above `after` (default 0), in order. */
  events(id: string, after?: number): AsyncIterable<RecordedEvent>;
  /**
   * Yields an id whenever that loop may have changed; may be late, doubled or early, never lost for good.
   * Without `id`, all loops. Ends when `signal` aborts.
   */
  watch(id: string | undefined, signal: AbortSignal): AsyncIterable<string>;
  /**
   * Throws `loop_busy` while a living owner holds an unexpired lease, `invalid_input` for more than a minute: an owner
   * that hangs must not keep a loop for long.
   */
  claim(id: string, owner: string, ttlMs: number): Promise<Lease>;
  /** Throws `fenced` when the lease is not the newest. */
  renew(lease: Lease): Promise<void>;
  /** Gives the lease back; a lease that was lost already is no error. */
  release(lease: Lease): Promise<void>;
  ownerOf(id: string): Promise<string | null>;
  /** The newest lease, also of an owner that is gone; null when it was given back, or nobody ever claimed the loop. */
  leaseOf(id: string): Promise<LeaseView | null>;
  /**
   * Removes everything that belongs to the loop, of the state that was newest when it is decided. Throws
   * `loop_not_found`, `invalid_transition` for a running loop, and `revision_conflict` for another `revision`. A loop
   * that cannot be read is removed as well, unless a `revision` is named: then it throws `store_corrupt`.
   */
  remove(id: string, options?: RevisionOptions): Promise<void>;
  /** Appends records to agent.log, which is no part of the state; not durable before `close`. */
  appendLog(id: string, records: readonly unknown[]): Promise<void>;
  /** The records of agent.log in order. One that another program shortened is counted anew. */
  readLog(id: string, options?: ReadLogOptions): AsyncIterable<LogRecord>;
  /** The path or URL of a loop's progress folder, for prompts and people. */
  progressDir(id: string): string;
  /**
   * Rebuilds a damaged loop; with `dryRun` only says what it would do. A `revision` is compared with that of the newest
   * state that can be rebuilt exactly.
   */
  recover(
    id: string,
    options: RevisionOptions & { dryRun: boolean; at: string },
  ): Promise<Recovery>;
  /** Of all loops, where the store can tell without reading them. */
  figures?(): Promise<StoreFigures>;
  close(): Promise<void>;
}

/** What a module that an operator names as `store` exports by default. */
export interface StoreFactory {
  /** What it is, in a few words. */
  describe: string;
  /** Opens the loops of a project; called once by each process. */
  open(place: StorePlace): LoopStore | Promise<LoopStore>;
}

export interface StorePlace extends Pick<AgentPlace, "options" | "root"> {
  /** Tells the operator in a sentence what was repaired or kept aside. */
  warn: (message: string) => void;
}

/** What a query needs to know of a loop. */
export interface Listed extends Pick<LoopState, "loop_id" | "updated_at" | "status"> {
  tags: readonly string[];
  /** Id, title and description in lower case. */
  words: string;
}

export function listedOf(state: LoopState): Listed {
  const { loop_id, updated_at, status, title, description, tags = [] } = state;
  const words = `${loop_id}\n${title}\n${description}`.toLowerCase();
  return { loop_id, updated_at, status, tags, words };
}

/** The loops that a query asks for, of all in the order of `newestFirst`, and how many of them fit it. */
export function pageOf<T extends Listed>(
  sorted: readonly T[],
  { status, tag, text = "", after, offset = 0, limit = 50 }: ListQuery,
): { page: T[]; total: number } {
  const wanted = text.toLowerCase();
  const fits = (one: T) =>
    (status === undefined || one.status === status) &&
    (tag === undefined || one.tags.includes(tag)) &&
    one.words.includes(wanted);
  const isAll = status === undefined && tag === undefined && wanted === "";
  const found = isAll ? sorted : sorted.filter(fits);
  // Behind its place, whether the loop is still there or not.
  const next = after ? found.findIndex((one) => newestFirst(one, after) > 0) : 0;
  const begin = offset + (next < 0 ? found.length : next);
  return { page: found.slice(begin, begin + limit), total: found.length };
}

/** The order of every list: the newest change first; equal ones by id, so that pages do not overlap. */
export function newestFirst(a: ListPosition, b: ListPosition): number {
  if (a.updated_at !== b.updated_at) return a.updated_at < b.updated_at ? 1 : -1;
  return a.loop_id === b.loop_id ? 0 : a.loop_id < b.loop_id ? -1 : 1;
}
