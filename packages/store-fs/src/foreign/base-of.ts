import { isDeepStrictEqual } from "node:util";
import { type LoopEvent, LoopState, Revision } from "@ccw-loop/core";
import { z } from "zod";
import { stateAt } from "../commits/state-at.ts";
import type { Context, OpenLoop } from "../context.ts";

/** What an `external.edited` event says about the document it came from. */
const Origin = z.object({
  /** The revision that the document named. */
  based_on: Revision,
  /** Its fields that differed from what it was made from; null for those that were taken out. */
  theirs: z.record(z.string(), z.unknown()),
});
export type Origin = z.infer<typeof Origin>;

/** Ours alone, or about the document itself: what others write there is not looked at. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  "loop_id",
  "schema_version",
  "revision",
  "etag",
  "updated_at",
]);

/**
 * The state that a foreign document was made from: the one of the revision it names, with what was taken in
 * from earlier documents that name the same. An editor that saves twice without reading again changed only
 * what differs between its two saves. Null when that is not known.
 */
export async function baseOf(
  context: Context,
  loop: OpenLoop,
  theirs: LoopState,
): Promise<LoopState | null> {
  const { revision } = theirs;
  if (revision === undefined) return null;
  const base = await stateAt(context, loop, revision);
  if (!base) return null;
  const fields: Record<string, unknown> = { ...base };
  const { history } = context;
  for (const later of history.recent(loop.paths).filter((one) => one > revision)) {
    const events = history.tryLoad(loop.paths, later)?.commit.events ?? [];
    for (const { based_on, theirs } of events.flatMap(originOf)) {
      if (based_on === revision) overlay(fields, theirs);
    }
  }
  const parsed = LoopState.safeParse(fields);
  return parsed.success ? parsed.data : base;
}

/** What a document says otherwise than what it was made from. */
export function originFor(base: LoopState | null, theirs: LoopState): Partial<Origin> {
  if (!base || theirs.revision === undefined) return {};
  const before: Record<string, unknown> = base;
  const after: Record<string, unknown> = theirs;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(
    (key) => !BOOKKEEPING.has(key) && !isDeepStrictEqual(before[key], after[key]),
  );
  return {
    based_on: theirs.revision,
    theirs: Object.fromEntries(changed.map((key) => [key, after[key] ?? null])),
  };
}

function originOf(event: LoopEvent): Origin[] {
  const parsed = event.type === "external.edited" ? Origin.safeParse(event) : null;
  return parsed?.success ? [parsed.data] : [];
}

function overlay(fields: Record<string, unknown>, theirs: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(theirs)) {
    if (value === null) delete fields[key];
    else fields[key] = value;
  }
}
