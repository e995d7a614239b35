import { randomUUID } from "node:crypto";
import {
  Epoch,
  freeze,
  isValueDeeper,
  LoopEvent,
  LoopState,
  MAX_JSON_DEPTH,
  Revision,
  SCHEMA_VERSION,
  stateOfCommit,
} from "@ccw-loop/core";
import { MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { digestOf, etagOfParts } from "./etag.ts";
import { patched, patchFor } from "./patch.ts";

/**
 * The most bytes of a whole commit. What is rendered from its state (with indents, with escapes, twice) is larger, and
 * has to stay below what is read of one file.
 */
const MOST_COMMIT_BYTES = MAX_FILE_BYTES / 4;
/** A commit with fewer characters is followed by whole ones, by default: they cost next to nothing. */
export const WHOLE_BELOW = 32 * 1024;
/** So many commits in a row tell only what they changed. */
const MOST_CHANGES = 256;

export const CommitHead = z.object({
  revision: Revision,
  /** Digest of the file of the revision before; null where a history begins. */
  parent: z.string().nullable(),
  op_id: z.string(),
  /** The epoch of the lease that the writer named; null for operators. */
  epoch: Epoch.nullable(),
  at: z.string(),
  actor: z.string(),
  events: z.array(LoopEvent),
});
export type CommitHead = z.infer<typeof CommitHead>;

/** What happened in one revision, and the state after it. */
export const Commit = CommitHead.extend({ state: LoopState });
export type Commit = z.infer<typeof Commit>;

/** A commit with the digest of its file. */
export interface StoredCommit {
  commit: Commit;
  digest: string;
  /** What the next commit may rest on; null when it has to be whole. */
  base: Base | null;
}

/** A whole commit: its revision, its characters, and those of the commits since that tell only what they changed. */
export interface Base {
  revision: number;
  size: number;
  since: number;
}

/** A file of `{loopId}.history` that tells only what a commit changed in the state of the one before. */
export const ChangeFile = CommitHead.extend({
  /** The newest revision before it that is whole. */
  base: Revision,
  schema_version: z.int(),
  change: z.object({ patch: z.unknown(), etag: z.string() }),
});

/** A commit that rests on the one before. */
export interface Change {
  file: z.infer<typeof ChangeFile>;
  digest: string;
  /** Characters of its file. */
  size: number;
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

interface EncodedCommit {
  text: string;
  /** The commit as it is read back, frozen, and sharing nothing with what it was made from but what was stored before. */
  stored(): StoredCommit;
}

/**
 * A commit as it goes to disk, whole, or as a change of the large one `before`, which its state was made from. Seals the state with
 * `schema_version`, `revision` and `etag`. Throws a ZodError for a state that breaks the schema, and a RangeError for what
 * could not be read again.
 */
export function encodeCommit(
  draft: Commit,
  before?: StoredCommit,
  wholeBelow = WHOLE_BELOW,
): EncodedCommit {
  const { state, ...head } = draft;
  const known = before?.commit.state;
  if (isValueDeeper(head, MAX_JSON_DEPTH) || isValueDeeper(state, MAX_JSON_DEPTH - 1, known)) {
    throw new RangeError(`it is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  }
  const next = stateOfCommit(state, draft.revision, known);
  return (
    (before?.base && before.base.size >= wholeBelow && encodeChange(head, next, before)) ||
    encodeWhole(head, next)
  );
}

function encodeWhole(head: CommitHead, next: LoopState): EncodedCommit {
  const body = withEtag(next);
  const text = withSum(`${JSON.stringify(head).slice(0, -1)},"state":${body}`);
  if (!hasAtMost(text, MOST_COMMIT_BYTES)) {
    throw new RangeError(`the loop would have more than ${MOST_COMMIT_BYTES} bytes.`);
  }
  return {
    text,
    stored() {
      const state: LoopState = freeze(JSON.parse(body));
      return { commit: { ...head, state }, digest: digestOf(text), base: baseOf(head, text) };
    },
  };
}

/** Null where the commit has to be whole: behind a small one, and when what changed since is as large as all of it. */
function encodeChange(
  head: CommitHead,
  next: LoopState,
  { commit, base }: StoredCommit,
): EncodedCommit | null {
  if (!base || head.revision > base.revision + MOST_CHANGES) return null;
  const { etag: _, ...known } = commit.state;
  const patch = patchFor(known, next);
  if (patch === null || isValueDeeper(patch, MAX_JSON_DEPTH - 2)) return null;
  const change = JSON.stringify(patch);
  const made = freeze(patched(known, JSON.parse(change)) as LoopState);
  const etag = etagOfParts(made);
  const { revision, ...rest } = head;
  const schema_version = SCHEMA_VERSION;
  const start = JSON.stringify({ revision, base: base.revision, schema_version, ...rest });
  const text = withSum(`${start.slice(0, -1)},"change":{"patch":${change},"etag":"${etag}"}`);
  const since = base.since + text.length;
  if (since > base.size || since + base.size > MOST_COMMIT_BYTES) return null;
  return {
    text,
    stored: () => ({
      commit: { ...head, state: Object.freeze({ ...made, etag }) },
      digest: digestOf(text),
      base: { ...base, since },
    }),
  };
}

export function baseOf({ revision }: CommitHead, text: string): Base {
  return { revision, size: text.length, since: 0 };
}

/** The state without what sealing added: as it goes into events. */
export function withoutEtag(state: LoopState): LoopState {
  const { etag: _etag, revision: _revision, ...rest } = state;
  return rest;
}

/** The state as a commit of that revision would hold it. */
export function seal(state: LoopState, revision: number): LoopState {
  return freeze(JSON.parse(withEtag(stateOfCommit(state, revision))));
}

/** A state without an etag as compact JSON that ends with the digest of all before it. */
function withEtag(state: LoopState): string {
  const text = JSON.stringify(state);
  return `${text.slice(0, -1)},"etag":"${digestOf(text)}"}`;
}

function withSum(whole: string): string {
  return `${whole},"sum":"${digestOf(whole)}"}\n`;
}

/** The published document; without indents where they would make more of it than is read. */
export function documentOf(state: LoopState): string {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return hasAtMost(text, MAX_FILE_BYTES) ? text : `${JSON.stringify(state)}\n`;
}

function hasAtMost(text: string, most: number): boolean {
  return text.length * 3 <= most || Buffer.byteLength(text) <= most;
}
