import { isDeepStrictEqual } from "node:util";
import { type LoopEvent, LoopState, Revision } from "@ccw-loop/core";
import { z } from "zod";
import { eventsOf, stateAt } from "../commit/fold-journal.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { type Authorship, lookUp } from "./three-way.ts";

/** What an `external.edited` event says about the document it came from. */
const Origin = z.object({
  /** The revision that the document named. */
  based_on: Revision,
  /** When the document was written, in milliseconds since 1970. */
  written: z.number().default(0),
  /** Its fields that differed from what it was made from; null for those that were taken out. */
  theirs: z.record(z.string(), z.unknown()),
  /** The dotted paths where it was taken over. */
  changed: z.array(z.string()).default([]),
  /** Ours was put in its place before it was seen. */
  covered: z.boolean().default(false),
});
export type Origin = z.infer<typeof Origin>;

/** What an external edit was made from. */
export interface Basis {
  /** Null when that is not known. */
  base: LoopState | null;
  /** Who wrote what we have in the place of something that it changed. */
  writtenBy: Authorship;
}

/** Ours alone, or about the document itself: what others write there is not looked at. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  "loop_id",
  "schema_version",
  "revision",
  "etag",
  "updated_at",
]);

/** How far back one looks for other saves of a document that names a revision which there never was. */
const LOOK_BACK = 64;

/**
 * The state that an external edit was made from: the one of the revision it names, with what was taken in
 * from earlier documents that name the same. An editor that saves twice without reading again changed only
 * what differs between its two saves. One that reads again may have found ours in the place of its last save: such a
 * save counts only where something of it stands in the document. A revision that the history does not know grants nothing: such a document
 * counts as made from the newest one.
 */
export async function basisOf(
  context: StoreContext,
  loop: OpenLoop,
  theirs: LoopState,
  written: number,
): Promise<Basis> {
  const { revision: named } = theirs;
  const newest = loop.head?.stored.commit.revision ?? 0;
  if (named === undefined) return { base: null, writtenBy: () => null };
  const after = named <= newest ? named : Math.max(0, newest - LOOK_BACK);
  const edits: (Origin & { revision: number })[] = [];
  for await (const { revision, event } of eventsOf(context, loop, newest, after)) {
    const origin = originIn(event);
    if (origin) edits.push({ ...origin, revision });
  }
  const saves = edits.filter((edit) => edit.based_on === named);
  const from = named <= newest ? named : (saves[0]?.revision ?? newest + 1) - 1;
  const state = await stateAt(context, loop, from);
  const earlier = saves.filter(
    (save) => save.written <= written && (!save.covered || hasSomeOf(save, theirs)),
  );
  return {
    base: state && withEdits(state, earlier),
    writtenBy: authorship(edits, written),
  };
}

/** What a document says otherwise than what it was made from. */
export function originFor(
  base: LoopState | null,
  theirs: LoopState,
  written: number,
): Partial<Omit<Origin, "changed" | "covered">> {
  if (!base || theirs.revision === undefined) return {};
  const before: Record<string, unknown> = base;
  const after: Record<string, unknown> = theirs;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(
    (key) => !BOOKKEEPING.has(key) && !isDeepStrictEqual(before[key], after[key]),
  );
  return {
    based_on: theirs.revision,
    written,
    theirs: Object.fromEntries(changed.map((key) => [key, after[key] ?? null])),
  };
}

function hasSomeOf(save: Origin, document: LoopState): boolean {
  const fields: Record<string, unknown> = document;
  return Object.entries(save.theirs).some(([key, value]) =>
    isDeepStrictEqual(fields[key] ?? null, value),
  );
}

function originIn(event: LoopEvent): Origin | null {
  const parsed = event.type === "external.edited" ? Origin.safeParse(event) : null;
  return parsed?.success ? parsed.data : null;
}

function withEdits(state: LoopState, edits: readonly Origin[]): LoopState {
  const fields: Record<string, unknown> = { ...state };
  for (const { theirs } of edits) {
    for (const [key, value] of Object.entries(theirs)) {
      if (value === null) delete fields[key];
      else fields[key] = value;
    }
  }
  const parsed = LoopState.safeParse(fields);
  return parsed.success ? parsed.data : state;
}

/** What was taken over from an edit and stands there still was written by who edited; the newest of them counts. */
function authorship(edits: readonly Origin[], written: number): Authorship {
  return (path, place, ours) => {
    const author = edits.findLast(({ changed, theirs }) => {
      if (!changed.some((one) => path === one || isBelow(path, one))) return false;
      const said = lookUp(theirs, place);
      return said !== null && isDeepStrictEqual(said.value ?? null, ours ?? null);
    });
    if (!author) return null;
    return author.written > written ? "later" : "earlier";
  };
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && /^[.[]/.test(path.slice(above.length));
}
