import { errorText, tryParseJson } from "@ccw-loop/core";
import { documentOf, type StoredCommit } from "../commit/commit-form.ts";
import { isSafe, makeSafe, refresh } from "../commit/head.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import {
  type ExternalDocument,
  importExternalEdit,
  isPublishedByUs,
} from "../external-edits/import-document.ts";
import { textOf } from "../fs/disk.ts";
import { readUntilComplete } from "../fs/read-until-complete.ts";
import { catchUp } from "../journal/journal.ts";
import { failureOf } from "../safe-folders.ts";
import { publishProgress, publishTasks, putInPlace } from "./progress-files.ts";

/** Older revisions are let go of when half as many as stay came since, and after so many commits at most often. */
const TIDY_AT_MOST = 4;

/**
 * Makes the public files say what the newest commit says: journal, tasks, progress documents and, when all
 * that is there, the state document. All of it can be done again at any time, so what fails here (a full
 * disk) is told as a warning and left to the next time. True when nothing is left to do.
 */
export async function publish(context: StoreContext, loop: OpenLoop): Promise<boolean> {
  for (;;) {
    const head = refresh(context, loop);
    if (!head) return true;
    const { state, revision } = head.commit;
    let done = true;
    const attempt = async <T>(step: () => T | Promise<T>): Promise<T | undefined> => {
      try {
        return await step();
      } catch (error) {
        done = false;
        tell(context, loop, error);
        return undefined;
      }
    };
    await attempt(async () => {
      if (!isSafe(loop, head)) await makeSafe(context, loop, head);
    });
    if (!done) return false;
    await attempt(async () => {
      loop.journal = await catchUp(context, loop, revision);
      loop.lines.clear();
    });
    await attempt(() => publishTasks(context, loop, state));
    await attempt(() => publishProgress(context, loop, state));
    const edited = await attempt(() => publishDocument(context, loop, head));
    while (edited && !(await importExternalEdit(context, loop, edited))) refresh(context, loop);
    // Somebody may have gone on meanwhile: then what was just written is not the newest.
    if (refresh(context, loop) === head && (!edited || loop.published > 0)) {
      if (done) await trimHistory(context, loop, revision);
      return done;
    }
  }
}

/** Commits are let go of only when the journal tells of them and is on the disk, with its name. */
async function trimHistory(
  { disk, history }: StoreContext,
  loop: OpenLoop,
  newest: number,
): Promise<void> {
  if (newest < loop.trimmedAt + TIDY_AT_MOST) return;
  const { paths } = loop;
  const kept = history.kept(paths, newest);
  if (newest < loop.trimmedAt + kept / 2) return;
  loop.trimmedAt = newest;
  if (history.revisions(paths).length < kept * 1.5) return;
  await disk.syncFile(paths.journal);
  await disk.syncFolder(paths.folder);
  await history.trim(paths, newest);
}

function tell(context: StoreContext, loop: OpenLoop, error: unknown): void {
  const { id } = loop.paths;
  const known = failureOf(context, loop, error);
  context.warn(
    id,
    `The state is safe, but its public files could not be written: ${errorText(known)}`,
  );
}

/**
 * Puts the state in its public place. Answers with the document that was there when that was neither ours nor
 * taken in: somebody wrote it in the same moment. Nobody sees half a document at any time.
 */
export async function publishDocument(
  context: StoreContext,
  loop: OpenLoop,
  { commit }: StoredCommit,
): Promise<ExternalDocument | null> {
  const { runtime, late } = context;
  if (loop.published === commit.revision) return null;
  const text = documentOf(commit.state);
  const before = loop.publishedText;
  const isKnown = loop.published > 0;
  const displaced = putInPlace(context, loop, loop.paths.document, text);
  loop.publishedText = text;
  loop.settledDocument = null;
  loop.published = commit.revision;
  if (!displaced) return null;
  const { instance } = displaced;
  let seen = textOf(displaced.bytes());
  let edited: ExternalDocument | null = null;
  if (seen !== before) {
    const old = await readUntilComplete(runtime, () => displaced.bytes());
    seen = old.text;
    const written = displaced.written();
    if (!isPublishedByUs(context, loop, tryParseJson(seen))) {
      edited = { ...old, instance, written, covered: true };
    }
  }
  const unfinished = !(isKnown && seen === before) && tryParseJson(seen) === undefined;
  late.watch(loop.paths.id, displaced, seen, unfinished);
  return edited;
}
