import { basename } from "node:path";
import { journalText, readJournal } from "../commits/journal.ts";
import { gapsIn, revisionsText } from "../commits/revision-names.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { linkToBackup } from "../disk/move-aside.ts";
import { temporary } from "../paths.ts";

/**
 * Writes a journal with unreadable lines again, from the others and from the history; the old one is kept.
 * Answers with what was done, as sentences.
 */
export async function rewriteJournal(context: StoreContext, loop: OpenLoop): Promise<string[]> {
  const { disk, history } = context;
  const { paths } = loop;
  const texts = new Map<number, string>();
  const committed = history.revisions(paths);
  for await (const { opId, ...entry } of readJournal(disk, paths.journal)) {
    if (entry.revision > (committed.at(-1) ?? Number.POSITIVE_INFINITY)) break;
    texts.set(entry.revision, journalText({ ...entry, op_id: opId }));
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
