import { basename } from "node:path";
import {
  isLoopError,
  isPlain,
  type LoopEvent,
  type LoopState,
  readLoopState,
  tryParseJson,
} from "@ccw-loop/core";
import { ZodError } from "zod";
import { backUp } from "../backups.ts";
import { commit } from "../commit/append.ts";
import { digestOf, hasOwnEtag } from "../commit/etag.ts";
import { findOp } from "../commit/ops.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { basisOf } from "./basis.ts";
import { type Merge, mergeExternal } from "./merge.ts";

/** A published document that somebody else wrote. */
export interface ExternalDocument {
  bytes: Buffer;
  text: string;
  /** Tells this file from one with the same bytes. */
  instance: string;
  /** When it was written, in milliseconds since 1970. */
  written: number;
  /** Our document was put in its place before it was seen: whoever reads again reads ours, without it. */
  covered: boolean;
}

/**
 * True for a document that says what the history holds under the revision it names: it was made from that. Whether its
 * etag fits says nothing, for anybody can compute one.
 */
export function isPublishedByUs(
  { history }: StoreContext,
  loop: OpenLoop,
  raw: unknown,
): raw is { revision: number } {
  if (!hasOwnEtag(raw)) return false;
  const head = loop.head?.stored.commit;
  const isHead = head?.revision === raw.revision && head.state.etag === raw.etag;
  return isHead || history.etag(loop.paths, raw.revision) === raw.etag;
}

/**
 * Takes in what somebody else wrote over the published document: as `external.edited`, or, when it is no
 * loop state, by keeping it aside. Afterwards the document has to be published again. False when another
 * writer committed in between: then nothing happened and the caller starts over.
 */
export async function importExternalEdit(
  context: StoreContext,
  loop: OpenLoop,
  edited: ExternalDocument,
): Promise<boolean> {
  const opId = `external:${digestOf(`${edited.instance}\n${edited.text}`)}`;
  if ((await findOp(context, loop, opId)) === undefined) {
    const merged = await mergedEdit(context, loop, edited);
    if (merged === null) {
      reject(context, loop, edited);
    } else if (merged.events.length > 0) {
      const events = withConflict(context, loop, edited, merged);
      try {
        if (!(await commit(context, loop, events, { actor: "external", opId }))) return false;
      } catch (error) {
        // With what it brings, the loop would be larger or nested deeper than what is read again.
        if (!isLoopError(error, "invalid_input")) throw error;
        reject(context, loop, edited);
      }
    }
  }
  sayWhenRenamed(context, loop, edited);
  loop.publishedText = edited.text;
  loop.settledDocument = null;
  loop.published = 0;
  return true;
}

/** What an external edit means for the newest state; null when it is no loop state, or would break ours. */
export async function mergedEdit(
  context: StoreContext,
  loop: OpenLoop,
  { text, written, covered }: Pick<ExternalDocument, "text" | "written" | "covered">,
): Promise<Merge | null> {
  const ours = loop.head?.stored.commit.state;
  const theirs = stateIn(text, loop.paths.id);
  if (!ours || !theirs) return null;
  const basis = await basisOf(context, loop, theirs, written);
  try {
    return mergeExternal(basis, ours, { theirs, written, covered }, context.now().toISOString());
  } catch (error) {
    if (error instanceof ZodError) return null;
    throw error;
  }
}

/** The state that a document of any age holds, under the id of its file; null when it holds none. */
export function stateIn(text: string, id: string): LoopState | null {
  const raw = tryParseJson(text);
  if (!isPlain(raw)) return null;
  try {
    return readLoopState({ ...raw, loop_id: id });
  } catch (error) {
    if (isLoopError(error, "store_corrupt")) return null;
    throw error;
  }
}

function sayWhenRenamed(
  { warn }: StoreContext,
  { paths }: OpenLoop,
  edited: ExternalDocument,
): void {
  const named: unknown = Object(tryParseJson(edited.text)).loop_id;
  if (named === undefined || named === paths.id) return;
  warn(
    paths.id,
    `${basename(paths.document)} said loop_id ${JSON.stringify(named)}; the name of the file counts.`,
  );
}

function reject(context: StoreContext, loop: OpenLoop, edited: ExternalDocument): void {
  const { id, document } = loop.paths;
  const path = backUp(context, loop, document, "rejected", edited.bytes);
  context.warn(
    id,
    `${basename(document)} was overwritten with something that is no loop state. It is kept as ${basename(path)}, and the last good state is back.`,
  );
}

/** Keeps the whole external edit when ours won somewhere, and says so in the event. */
function withConflict(
  context: StoreContext,
  loop: OpenLoop,
  edited: ExternalDocument,
  { events, kept }: Merge,
): LoopEvent[] {
  if (kept.length === 0) return events;
  const { id, document } = loop.paths;
  const path = basename(backUp(context, loop, document, "conflict", edited.bytes));
  context.warn(
    id,
    `${basename(document)} was changed by somebody else and by us at once. Ours was kept in ${kept.join(", ")}; theirs is in ${path}.`,
  );
  return events.map((event) =>
    event.type === "external.edited" ? { ...event, kept_aside: kept, kept_in: path } : event,
  );
}
