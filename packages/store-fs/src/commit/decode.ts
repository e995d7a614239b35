import {
  freeze,
  isPlain,
  LoopState,
  parseChanged,
  requireKnownSchema,
  tryParseJson,
} from "@ccw-loop/core";
import { baseOf, type Change, ChangeFile, CommitHead, type StoredCommit } from "./commit-form.ts";
import { digestOf, etagOfParts, hasOwnEtag } from "./etag.ts";
import { patched } from "./patch.ts";

/** How a commit ends: the digest of all before it. */
const SUM = /,"sum":"([^"]*)"\}\n$/;
/** The same with the end of its state or change; what was written before there were sums ends with that. */
const ETAG = /"etag":"([0-9a-f]+)"\}(?:,"sum":"[0-9a-f]+")?\}\n$/;
/** More bytes than a commit ends with from its etag on. */
export const ENDING = 128;

/**
 * What a file of a history tells. Throws a ZodError or, when it is no JSON, another revision or was changed after it was
 * written, a TypeError; a LoopError `store_unavailable` for what a newer version of ccw-loop wrote.
 */
export function decodeCommit(text: string, revision: number, id: string): StoredCommit | Change {
  requireSum(text);
  const raw = tryParseJson(text);
  if (!isPlain(raw)) throw new TypeError("It is no JSON, or nested too deep.");
  const told = raw.state;
  requireKnownSchema(id, isPlain(told) ? told : raw);
  const head = CommitHead.parse(raw);
  if (head.revision !== revision) throw new TypeError(`It holds revision ${head.revision}.`);
  const digest = digestOf(text);
  if (Object.hasOwn(raw, "change")) {
    return { file: ChangeFile.parse(raw), digest, size: text.length };
  }
  if (!hasOwnEtag(told)) throw new TypeError("The state does not fit its etag.");
  const state = sealed(LoopState.parse(told), etagOfWhole);
  return {
    commit: { ...head, state },
    digest,
    base: state.etag === told.etag ? baseOf(head, text) : null,
  };
}

/** The commit that these changes, in their order, lead to from `start`. Throws a TypeError for those of another one. */
export function changedBy(start: StoredCommit, changes: readonly Change[]): StoredCommit {
  let { digest, base } = start;
  const { etag: _, ...known } = start.commit.state;
  let told: unknown = known;
  for (const { file, digest: own, size } of changes) {
    if (!base || file.base !== base.revision || file.parent !== digest) {
      throw new TypeError("It does not rest on the revision before.");
    }
    told = patched(told, file.change.patch);
    base = { ...base, since: base.since + size };
    digest = own;
  }
  const last = changes.at(-1)?.file;
  if (!last) return start;
  if (etagOfParts(freeze(Object(told))) !== last.change.etag) {
    throw new TypeError("The state does not fit its etag.");
  }
  const state = sealed(parseChanged(LoopState, told, start.commit.state), etagOfParts);
  const { base: __, schema_version: ___, change, ...head } = last;
  return { commit: { ...head, state }, digest, base: state.etag === change.etag ? base : null };
}

/** What happened in a commit, without its state: that is most of the text. Throws like `decodeCommit`. */
export function decodeEvents(text: string, revision: number): CommitHead {
  requireSum(text);
  const head = CommitHead.parse(headOf(text) ?? tryParseJson(text));
  if (head.revision !== revision) throw new TypeError(`It holds revision ${head.revision}.`);
  return head;
}

/** How a file begins that tells only what a commit changed. */
const BEGINNING = /^\{"revision":\d+,"base":(\d+),/;
/** More bytes than that has. */
export const BEGINNING_BYTES = 64;

/** The revision that a file rests on, by its first bytes; null for a whole one. */
export function baseIn(beginning: string): number | null {
  const base = BEGINNING.exec(beginning)?.[1];
  return base === undefined ? null : Number(base);
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

/** The schema may order keys otherwise than it did when this was written; the etag follows the order. */
function sealed(state: LoopState, etagOf: (rest: LoopState) => string): LoopState {
  const { etag: _, ...rest } = state;
  return freeze({ ...rest, etag: etagOf(freeze(rest)) });
}

const etagOfWhole = (rest: LoopState) => digestOf(JSON.stringify(rest));

/** The etag of the state in the last bytes of a commit's file. */
export function etagAtEndOf(text: string): string | null {
  return ETAG.exec(text)?.[1] ?? null;
}
