import { freeze, LoopState, replay, type StoredLoop, tryParseJson } from "@ccw-loop/core";
import type { StoredCommit } from "../commit/commit-form.ts";
import { refresh } from "../commit/head.ts";
import { newOpenLoop, type OpenLoop, type StoreContext } from "../context.ts";
import { isPublishedByUs, mergedEdit } from "../external-edits/import-document.ts";
import { readLegacy } from "../legacy/read.ts";
import { failureOf } from "../safe-folders.ts";

/**
 * A loop as reading it would find it, without writing anything: a document that another program wrote is merged in
 * memory, and a loop that has no history of ours yet is at revision 0; `isShown` when its document shows it as it is. Null when
 * there is none. Throws what `read` throws.
 */
export async function readWithoutWriting(
  context: StoreContext,
  id: string,
): Promise<(StoredLoop & { isShown: boolean }) | null> {
  const loop = newOpenLoop(context.project.loops, id);
  try {
    const published = ownDocument(context, loop);
    if (published) return { ...published, isShown: true };
    const head = refresh(context, loop);
    const isShown = false;
    if (head) {
      return { state: await merged(context, loop, head), revision: head.commit.revision, isShown };
    }
    const older = await readLegacy(context, loop.paths);
    return older && { state: freeze(older.state), revision: older.highestRevisionNamed, isShown };
  } catch (error) {
    throw failureOf(context, loop, error);
  }
}

/** The published document, when it says what the history does and no newer commit is there. */
function ownDocument(context: StoreContext, loop: OpenLoop): StoredLoop | null {
  const { disk, history } = context;
  const { paths } = loop;
  const raw = tryParseJson(disk.read(paths.document));
  if (!isPublishedByUs(context, loop, raw)) return null;
  if (history.identity(paths, raw.revision + 1) !== null) return null;
  const state = LoopState.safeParse(raw);
  return state.success ? { state: freeze(state.data), revision: raw.revision } : null;
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
  if (text === null || isPublishedByUs(context, loop, tryParseJson(text))) return freeze(ours);
  const written = context.disk.info(document)?.modified ?? 0;
  const merge = await mergedEdit(context, loop, { text, written, covered: false });
  return freeze(merge ? replay(merge.events, ours) : ours);
}
