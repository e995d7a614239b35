import { basename } from "node:path";
import type { LoopEvent } from "@ccw-loop/core";
import { linkToBackup, setAside } from "../backups.ts";
import { commit } from "../commit/append.ts";
import { gapsIn, revisionsText } from "../commit/revision-names.ts";
import { forget, newOpenLoop, type OpenLoop, type StoreContext } from "../context.ts";
import { notFound } from "../fs/errors.ts";
import { journalText, readJournal } from "../journal/journal.ts";
import { temporary } from "../paths.ts";
import { laterEpoch, makeHistory } from "../safe-folders.ts";

/**
 * Puts a new history that begins with `event` in the place of the old one, which is kept under another name; so is the
 * journal when the numbers begin again. Answers with these names. Whatever a crash leaves can be recovered again.
 */
export async function startNewHistory(
  context: StoreContext,
  loop: OpenLoop,
  event: LoopEvent,
  revision: number,
): Promise<string[]> {
  const { disk } = context;
  const { paths, publishedText } = loop;
  const fresh = newOpenLoop(paths.folder, paths.id);
  fresh.paths.history = temporary(paths.folder);
  makeHistory(context, fresh.paths, laterEpoch(context));
  await commit(context, fresh, [event], { actor: "recover", revision });
  // A loop that was removed meanwhile does not come back.
  if (context.history.removedAt(paths) !== null) throw notFound(paths.id);
  const moved = setAside(disk, paths.history);
  disk.rename(fresh.paths.history, paths.history);
  if (revision === 1) moved.push(...setAside(disk, paths.journal));
  await disk.syncFolder(paths.folder);
  forget(loop);
  loop.publishedText = publishedText;
  return moved.map((path) => basename(path));
}

/**
 * Writes a journal with unreadable lines again, from the others and from the history; the old one is kept.
 * Answers with what was done, as sentences.
 */
export async function rewriteJournal(context: StoreContext, loop: OpenLoop): Promise<string[]> {
  const { disk, history } = context;
  const { paths } = loop;
  const texts = new Map<number, string>();
  const committed = history.revisions(paths);
  for await (const entry of readJournal(disk, paths.journal)) {
    if (entry.revision > (committed.at(-1) ?? Number.POSITIVE_INFINITY)) break;
    texts.set(entry.revision, journalText(entry));
  }
  for (const revision of committed) {
    const commit = history.tryEvents(paths, revision);
    if (commit) texts.set(revision, journalText(commit));
  }
  const revisions = [...texts.keys()].sort((a, b) => a - b);
  const draft = temporary(paths.history);
  await disk.writeDurably(draft, revisions.map((revision) => texts.get(revision)).join(""));
  const aside = basename(linkToBackup(disk, paths.journal));
  disk.rename(draft, paths.journal);
  loop.journal = null;
  const lost = gapsIn(revisions, 1, revisions.at(-1) ?? 0);
  const kept = `The journal is written again; the damaged one is kept as ${aside}.`;
  if (lost.length === 0) return [kept];
  return [kept, `What happened in ${revisionsText(lost)} is not known any more.`];
}
