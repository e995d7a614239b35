import { LoopState, type StoredLoop, tryParseJson } from "@ccw-loop/core";
import { freeze, isSealed, type StoredCommit } from "../commits/commit.ts";
import { stateAfter } from "../commits/state-at.ts";
import { newOpenLoop, type OpenLoop, type StoreContext } from "../context.ts";
import { failureOf } from "../folders.ts";
import { isPublishedByUs, mergedEdit } from "../foreign/take-in.ts";
import { readLegacy } from "../older/read-older.ts";

/**
 * A loop as reading it would find it, without writing anything: a document that another program wrote is merged in
 * memory, and a loop that has no history of ours yet is at revision 0. Null when there is none. Throws what `read` throws.
 */
export async function readWithoutWriting(
  context: StoreContext,
  id: string,
): Promise<StoredLoop | null> {
  const loop = newOpenLoop(context.project.loops, id);
  try {
    const published = ownDocument(context, loop);
    if (published) return published;
    const head = newest(context, loop);
    if (head) return { state: await merged(context, loop, head), revision: head.commit.revision };
    const older = await readLegacy(context, loop.paths);
    return older && { state: freeze(older.state), revision: older.newestNamed };
  } catch (error) {
    throw failureOf(context, loop, error);
  }
}

/** The published document, when it says what the history does and no newer commit is there. */
function ownDocument({ disk, history }: StoreContext, { paths }: OpenLoop): StoredLoop | null {
  const raw = tryParseJson(disk.read(paths.document));
  if (!isSealed(raw) || history.etag(paths, raw.revision) !== raw.etag) return null;
  if (history.identity(paths, raw.revision + 1) !== null) return null;
  const state = LoopState.safeParse(raw);
  return state.success ? { state: freeze(state.data), revision: raw.revision } : null;
}

/** The newest commit; one that is let go of while it is looked for has a newer one. */
function newest({ history }: StoreContext, { paths }: OpenLoop): StoredCommit | null {
  for (let tries = 0; tries < 10; tries++) {
    const revision = history.revisions(paths).at(-1);
    if (revision === undefined) return null;
    const stored = history.load(paths, revision);
    if (stored) return stored;
  }
  return null;
}

/** What the document of another program makes of the newest commit. */
async function merged(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<LoopState> {
  const { id, document } = loop.paths;
  const ours = { ...head.commit.state, loop_id: id };
  const text = context.disk.read(document);
  loop.head = { stored: head, file: "" };
  if (text === null || isPublishedByUs(context, loop, tryParseJson(text))) return freeze(ours);
  const written = context.disk.info(document)?.modified ?? 0;
  const merge = await mergedEdit(context, loop, { text, written });
  return freeze(merge ? stateAfter(ours, merge.events) : ours);
}
