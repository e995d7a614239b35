import { hash, randomUUID } from "node:crypto";
import {
  Epoch,
  isValueDeeper,
  LoopEvent,
  LoopState,
  MAX_JSON_DEPTH,
  parseChanged,
  Revision,
  SCHEMA_VERSION,
  tryParseJson,
} from "@ccw-loop/core";
import { MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import { z } from "zod";

/**
 * The most bytes of a commit. What is rendered from its state (with indents, with escapes, twice) is larger, and has to
 * stay below what is read of one file.
 */
const MOST_COMMIT_BYTES = MAX_FILE_BYTES / 4;

/** One file of `{loopId}.history`: what happened and the whole state after it. */
export const Commit = z.object({
  revision: Revision,
  /** Digest of the file of the revision before; null where a history begins. */
  parent: z.string().nullable(),
  op_id: z.string(),
  /** The epoch of the lease that the writer named; null for operators. */
  epoch: Epoch.nullable(),
  at: z.string(),
  actor: z.string(),
  events: z.array(LoopEvent),
  state: LoopState,
});
export type Commit = z.infer<typeof Commit>;
const CommitHead = Commit.omit({ state: true });

/** A commit with the digest of its file. */
export interface StoredCommit {
  commit: Commit;
  digest: string;
}

/** How a commit ends: the digest of all before it. */
const SUM = /,"sum":"([^"]*)"\}\n$/;
/** The same with the end of its state; what was written before there were sums ends with that. */
const ETAG = /"etag":"([0-9a-f]+)"\}(?:,"sum":"[0-9a-f]+")?\}\n$/;
/** More bytes than a commit ends with from its etag on. */
export const ENDING = 128;

/** 128 bits of SHA-256 as hexadecimal digits. */
export function digestOf(text: string): string {
  return hash("sha256", text).slice(0, 32);
}

const TOMBSTONE = '{"removed_at":';

/**
 * What takes the number of the next commit when a loop is removed, so that no commit can come behind it. No two are
 * equal.
 */
export function tombstone(revision: number, removed_at: string): string {
  return `${JSON.stringify({ removed_at, revision, op_id: randomUUID() })}\n`;
}

export function isTombstone(text: string): boolean {
  return text.startsWith(TOMBSTONE);
}

/**
 * A commit as it goes to disk. Seals the state with `schema_version`, `revision` and `etag`. `before` is the state that it was made from, as it was
 * read. Throws a ZodError for a state that breaks the schema, and a RangeError for what could not be read again.
 */
export function encodeCommit(draft: Commit, before?: LoopState) {
  const { state, ...head } = draft;
  if (isValueDeeper(head, MAX_JSON_DEPTH) || isValueDeeper(state, MAX_JSON_DEPTH - 1, before)) {
    throw new RangeError(`it is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  const body = withEtag(state, draft.revision, before);
  const whole = `${JSON.stringify(head).slice(0, -1)},"state":${body}`;
  const text = `${whole},"sum":"${digestOf(whole)}"}\n`;
  if (!hasAtMost(text, MOST_COMMIT_BYTES)) {
    throw new RangeError(`the loop would have more than ${MOST_COMMIT_BYTES} bytes.`);
  }
  return {
    text,
    /** The commit as it is read back, frozen, and sharing nothing with what it was made from. */
    stored(): StoredCommit {
      const state: LoopState = JSON.parse(body);
      return { commit: { ...head, state: freeze(state) }, digest: digestOf(text) };
    },
  };
}

/** Throws a ZodError or, when it is no JSON, another revision or was changed after it was written, a TypeError. */
export function decodeCommit(text: string, revision: number): StoredCommit {
  requireSum(text);
  const raw = tryParseJson(text);
  if (raw === undefined) throw new TypeError("It is no JSON, or nested too deep.");
  const commit = Commit.parse(raw);
  if (commit.revision !== revision) throw new TypeError(`It holds revision ${commit.revision}.`);
  if (!hasOwnEtag(Object(raw).state)) throw new TypeError("The state does not fit its etag.");
  const { etag: _etag, ...rest } = commit.state;
  // The schema may order keys otherwise than it did when this was written; the etag follows the order.
  const state = freeze({ ...rest, etag: digestOf(JSON.stringify(rest)) });
  return { commit: { ...commit, state }, digest: digestOf(text) };
}

/** What happened in a commit, without its state: that is most of the text. Throws like `decodeCommit`. */
export function decodeEvents(text: string, revision: number): Omit<Commit, "state"> {
  requireSum(text);
  const raw = headOf(text);
  if (raw === undefined) return decodeCommit(text, revision).commit;
  const head = CommitHead.parse(raw);
  if (head.revision !== revision) throw new TypeError(`It holds revision ${head.revision}.`);
  return head;
}

/** All before the state, which is not parsed. An event may hold a state too: what stands before that is no JSON. */
function headOf(text: string): unknown {
  const state = `,"state":{`;
  for (let end = text.indexOf(state); end >= 0; end = text.indexOf(state, end + 1)) {
    const raw = tryParseJson(`${text.slice(0, end)}}`);
    if (raw !== undefined) return raw;
  }
  return undefined;
}

function requireSum(text: string): void {
  const sum = SUM.exec(text);
  if (sum && sum[1] !== digestOf(text.slice(0, sum.index))) {
    throw new TypeError("It does not fit its sum.");
  }
}

/** The state without what sealing added: as it goes into events. */
export function withoutEtag(state: LoopState): LoopState {
  const { etag: _etag, revision: _revision, ...rest } = state;
  return rest;
}

/** The state as a commit of that revision would hold it. */
export function seal(state: LoopState, revision: number): LoopState {
  return freeze(JSON.parse(withEtag(state, revision)));
}

/** The state as compact JSON that ends with the digest of all before it. */
function withEtag(state: LoopState, revision: number, before?: LoopState): string {
  const { etag: _etag, ...rest } = state;
  const next = { ...rest, schema_version: SCHEMA_VERSION, revision };
  const text = JSON.stringify(parseChanged(LoopState, next, before));
  return `${text.slice(0, -1)},"etag":"${digestOf(text)}"}`;
}

/** Whether a state document has the etag that its content has; layout and spaces do not matter. */
export function hasOwnEtag(raw: unknown): raw is { etag: string; revision: number } {
  if (typeof raw !== "object" || raw === null || !("etag" in raw) || !("revision" in raw)) {
    return false;
  }
  const { etag, ...rest } = raw;
  return Revision.safeParse(raw.revision).success && etag === digestOf(JSON.stringify(rest));
}

/** The etag of the state in the last bytes of a commit's file. */
export function etagAtEndOf(text: string): string | null {
  return ETAG.exec(text)?.[1] ?? null;
}

/** The published document; without indents where they would make more of it than is read. */
export function documentOf(state: LoopState): string {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return hasAtMost(text, MAX_FILE_BYTES) ? text : `${JSON.stringify(state)}\n`;
}

function hasAtMost(text: string, most: number): boolean {
  return text.length * 3 <= most || Buffer.byteLength(text) <= most;
}

/** The value with everything in it made unchangeable. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
  return value;
}
