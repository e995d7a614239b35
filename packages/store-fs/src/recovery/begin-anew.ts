import { basename } from "node:path";
import type { LoopEvent } from "@ccw-loop/core";
import { commit } from "../commits/commit-events.ts";
import { forget, newOpenLoop, type OpenLoop, type StoreContext } from "../context.ts";
import { notFound } from "../disk/errors.ts";
import { renameToBackup } from "../disk/move-aside.ts";
import { laterEpoch, makeHistory } from "../folders.ts";
import { temporary } from "../paths.ts";

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
  await makeHistory(context, fresh.paths, laterEpoch(context));
  await commit(context, fresh, [event], { actor: "recover", revision });
  // A loop that was removed meanwhile does not come back.
  if (context.history.removedAt(paths) !== null) throw notFound(paths.id);
  const moved: string[] = [];
  if (disk.info(paths.history)) moved.push(renameToBackup(disk, paths.history));
  disk.rename(fresh.paths.history, paths.history);
  if (revision === 1 && disk.info(paths.journal)) moved.push(renameToBackup(disk, paths.journal));
  await disk.syncFolder(paths.folder);
  forget(loop);
  loop.publishedText = publishedText;
  return moved.map((path) => basename(path));
}
