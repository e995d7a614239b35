import { tryParseJson } from "@ccw-loop/core";
import { bytesOf } from "./backups.ts";
import { commit } from "./commit/append.ts";
import { type StoredCommit, withoutEtag } from "./commit/commit-form.ts";
import { refresh } from "./commit/head.ts";
import { identityOf, type OpenLoop, type StoreContext, settledFile } from "./context.ts";
import { importExternalEdit, isPublishedByUs } from "./external-edits/import-document.ts";
import { importJournalLines, importTaskLines } from "./external-edits/import-lines.ts";
import { notFound } from "./fs/errors.ts";
import { readUntilComplete } from "./fs/read-until-complete.ts";
import { adopt } from "./legacy/adopt.ts";
import { leftoverError } from "./repair/lost-history.ts";

/** True when nothing happened to the loop since it was last settled: a few looks at the disk, no waiting. */
export function isReconciled(context: StoreContext, loop: OpenLoop): boolean {
  const head = loop.head?.stored;
  return (
    head !== undefined &&
    refresh(context, loop) === head &&
    foreignText(context, loop) === undefined &&
    identityOf(context.disk, loop.paths.tasks) === (loop.tasks?.file ?? null)
  );
}

/**
 * The newest commit, after everything that others did to the files was taken in: a document or tasks they
 * wrote, a loop they made. Throws `loop_not_found`, `store_corrupt`.
 */
export async function reconcile(context: StoreContext, loop: OpenLoop): Promise<StoredCommit> {
  for (;;) {
    const head = refresh(context, loop);
    if (!head) {
      if (await adopt(context, loop)) continue;
      throw leftoverError(context, loop.paths) ?? notFound(loop.paths.id);
    }
    if (head.commit.state.loop_id !== loop.paths.id) {
      await correctId(context, loop, head);
      continue;
    }
    if (await reconcileDocument(context, loop, head)) continue;
    if (!loop.journalChecked && (await importJournalLines(context, loop, head))) continue;
    if (await importTaskLines(context, loop, head)) continue;
    return head;
  }
}

/** A loop is what its files are called, whatever they say inside: somebody renamed them. */
async function correctId(context: StoreContext, loop: OpenLoop, head: StoredCommit): Promise<void> {
  const { id } = loop.paths;
  const { state } = head.commit;
  const at = context.now().toISOString();
  const event = {
    type: "external.edited" as const,
    at,
    state: { ...withoutEtag(state), loop_id: id },
  };
  await commit(context, loop, [event], { actor: "store" });
  context.warn(id, `The files of loop ${id} said loop_id ${state.loop_id}; their name counts.`);
}

/**
 * What the document says when that was neither published nor taken in; null when it is not there, undefined when nothing
 * is to be done. It is read only when its file is another than last time.
 */
function foreignText(context: StoreContext, loop: OpenLoop): string | null | undefined {
  const { disk } = context;
  const { document } = loop.paths;
  const file = settledFile(context, disk.info(document));
  if (file !== null && file === loop.settledDocument) return undefined;
  const text = disk.read(document);
  if (text !== loop.publishedText) return text;
  loop.settledDocument = file;
  return undefined;
}

/** Looks at the published document; true when the caller has to start over. */
async function reconcileDocument(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<boolean> {
  const { disk } = context;
  const { document } = loop.paths;
  const text = foreignText(context, loop);
  if (text === undefined) return false;
  if (text === null) {
    loop.publishedText = null;
    loop.published = 0;
    return false;
  }
  const raw = tryParseJson(text);
  if (isPublishedByUs(context, loop, raw)) {
    const { revision } = head.commit;
    loop.publishedText = text;
    loop.published = raw.revision;
    loop.staleProgressFiles = raw.revision === revision ? new Set() : null;
    return false;
  }
  const found = await readUntilComplete(context.runtime, () => bytesOf(disk, document));
  const { instance = "", modified: written = 0 } = disk.info(document) ?? {};
  // A commit comes before its document: whoever sees a newer document can see the newer commit.
  if (found.text !== disk.read(document) || refresh(context, loop) !== head) return true;
  await importExternalEdit(context, loop, { ...found, instance, written, covered: false });
  return true;
}
