import { join } from "node:path";
import {
  isLoopError,
  isMissing,
  LAST_REVISION,
  requireAtRest,
  revisionConflict,
} from "@ccw-loop/core";
import { setAside } from "./backups.ts";
import { tombstone } from "./commit/commit-form.ts";
import { forget, type OpenLoop, type StoreContext } from "./context.ts";
import type { Disk } from "./fs/disk.ts";
import { notFound, orMissing } from "./fs/errors.ts";
import { isTemporary, type LoopPaths, temporary } from "./paths.ts";
import { reconcile } from "./reconcile.ts";
import { makeProject } from "./safe-folders.ts";

const ABANDONED_MS = 60_000;

/**
 * Decides that the loop is removed, at `revision` where that is given. Throws `revision_conflict`, and
 * `invalid_transition` for a loop that runs.
 */
export async function decideRemoval(
  context: StoreContext,
  loop: OpenLoop,
  revision: number | undefined,
): Promise<void> {
  const { disk, history } = context;
  const { id, history: folder } = loop.paths;
  for (let decided = false; !decided; ) {
    const head = await reconcile(context, loop).catch((error: unknown) => {
      // What cannot be read can still be removed.
      if (revision === undefined && isLoopError(error, "store_corrupt")) return null;
      throw error;
    });
    if (head) {
      const newest = head.commit.revision;
      if ((revision ?? newest) !== newest) throw revisionConflict(id, revision ?? 0, newest);
      requireAtRest(head.commit.state, "delete");
      decided = await addTombstone(context, loop, newest);
    } else {
      await makeProject(context);
      disk.makeFolder(folder);
      decided = await addTombstone(context, loop, history.revisions(loop.paths).at(-1) ?? 0);
    }
  }
}

/**
 * Decides that the loop is removed, durably, by a tombstone behind revision `newest`; false when another writer has
 * that number. From then on no commit can be added, and every reader finds no loop.
 */
async function addTombstone(
  context: StoreContext,
  loop: OpenLoop,
  newest: number,
): Promise<boolean> {
  const { disk, history, now } = context;
  const { paths } = loop;
  if (newest >= LAST_REVISION) {
    // No commit can follow it either: its number is given up, and the one before it counts.
    history.keepDamaged(paths, newest);
    return addTombstone(context, loop, history.revisions(paths).at(-1) ?? 0);
  }
  const text = tombstone(newest + 1, now().toISOString());
  try {
    const added = await history.add(paths, newest + 1, text, paths.history);
    if (added) await disk.syncFolder(paths.history);
    return added;
  } catch (error) {
    // Somebody else removed the loop, and its files are deleted already.
    throw isMissing(error) ? notFound(paths.id) : error;
  }
}

/**
 * Deletes all files of a loop that has a tombstone; does nothing to any other. Whoever meets the tombstone may do this,
 * also several at once, so a crash is made up for by the next reader. The history goes last: while the tombstone is
 * there, nobody takes what is left for a loop and nobody makes a new one of that name.
 */
export async function clearRemoved(context: StoreContext, loop: OpenLoop): Promise<void> {
  const { disk, history } = context;
  const { paths } = loop;
  const removed = history.removedAt(paths);
  if (removed === null) return;
  const stands = () => history.removedAt(paths) === removed;
  for (const path of await belongings(context, paths)) {
    if (stands()) await disk.removeTree(path);
  }
  const trash = temporary(paths.folder);
  if (stands()) takeAway(disk, paths, trash);
  // Another process may have cleared the old loop and made a new one between two calls: that one is put back.
  if (history.removedAt({ ...paths, history: trash }) !== removed) move(disk, trash, paths.history);
  forget(loop);
  await disk.syncFolder(paths.folder);
  await disk.removeTree(trash);
}

/** Moves the files of the loop and then its history into `trash`, without a pause in between. */
function takeAway(disk: Disk, paths: LoopPaths, trash: string): void {
  const { document, journal, tasks, progress, history } = paths;
  const own = [document, journal, tasks, progress];
  for (const path of own) move(disk, path, temporary(history));
  move(disk, history, trash);
  // Who was just publishing may have written one of them again; without a history nobody can any more.
  for (const path of own) if (!disk.info(history)) move(disk, path, temporary(trash));
}

function move(disk: Disk, from: string, to: string): void {
  orMissing(() => disk.rename(from, to), undefined);
}

/** What belongs to the loop beside its own files, and what was left behind by anybody for a minute or more. */
async function belongings(
  { disk, runtime, project }: StoreContext,
  { id, folder }: LoopPaths,
): Promise<string[]> {
  const names = await disk.listLarge(folder);
  const old = runtime.wall() - ABANDONED_MS;
  const abandoned = names
    .filter(isTemporary)
    .map((name) => join(folder, name))
    .filter((path) => (disk.info(path)?.modified ?? old) < old);
  const aside = names.filter((name) => isKeptAside(name, id)).map((name) => join(folder, name));
  const session = /\.(history|progress)$/.test(id) ? [] : [join(folder, id)];
  const oldest =
    disk.info(project.oldest)?.kind === "folder"
      ? [".json", ".json.migrated", ".tasks.jsonl", ".tasks.jsonl.migrated", ".progress", ""].map(
          (end) => join(project.oldest, `${id}${end}`),
        )
      : [];
  return [...aside, ...session, ...oldest, ...abandoned];
}

/** What was kept beside the files of this loop, and no file of another one. */
function isKeptAside(name: string, id: string): boolean {
  if (!name.startsWith(`${id}.`)) return false;
  return /^(json|tasks\.jsonl|journal\.jsonl|progress|history)\.(rejected|conflict|damaged)-\d+(-\d+)?$/.test(
    name.slice(id.length + 1),
  );
}

/** Puts aside what is left of a loop of that name that is no more, so that a new one begins clean. */
export function clearLeftovers({ disk }: StoreContext, { paths }: OpenLoop): void {
  for (const path of [paths.journal, paths.tasks, paths.progress]) setAside(disk, path);
}
