import { type LoopEvent, progressFilesChangedBy } from "@ccw-loop/core";
import { forget, type OpenLoop, type StoreContext } from "../context.ts";
import type { StoredCommit } from "./commit-form.ts";

/** The newest commit, read again when it is not the one that was remembered; null without a history. */
export function refresh({ history }: StoreContext, loop: OpenLoop): StoredCommit | null {
  const { paths } = loop;
  const seen = loop.head?.stored.commit.revision ?? 0;
  if (loop.head && history.identity(paths, seen) === loop.head.file) {
    let revision = seen;
    while (history.identity(paths, revision + 1) !== null) revision += 1;
    if (revision === seen) return loop.head.stored;
    if (take(revision)) return loop.head.stored;
  } else if (loop.head) {
    forget(loop);
  }
  // A revision may be let go of while it is looked for; then a newer one is there.
  for (let tries = 0; tries < 10; tries++) {
    const newest = history.revisions(paths).at(-1);
    if (newest === undefined) return null;
    if (take(newest)) return loop.head?.stored ?? null;
  }
  return null;

  function take(revision: number): boolean {
    const file = history.identity(paths, revision);
    const stored = file === null ? null : history.load(paths, revision, loop.head?.stored);
    if (file === null || stored === null) return false;
    if (revision === seen + 1) markProgressFiles(loop, stored.commit.events);
    else loop.staleProgressFiles = null;
    loop.head = { stored, file };
    return true;
  }
}

/** Whether a power cut cannot take it any more, as far as this store knows. */
export function isSafe({ durable }: OpenLoop, { commit }: StoredCommit): boolean {
  return durable >= commit.revision;
}

/**
 * What rests on a commit waits for this: its writer may have died before it was synced, and what a power cut leaves
 * must not tell of a commit that it took.
 */
export async function makeSafe(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<void> {
  await syncHistory(context, loop, head.commit.revision);
  loop.durable = Math.max(loop.durable, head.commit.revision);
}

/** Makes the name of a revision durable; of the first one, the name of the history as well. */
export async function syncHistory(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  revision: number,
): Promise<void> {
  const folders = revision === 1 ? [paths.history, paths.folder] : [paths.history];
  await Promise.all(folders.map((folder) => disk.syncFolder(folder)));
}

/** Notes which progress documents these events may change. */
export function markProgressFiles(loop: OpenLoop, events: readonly LoopEvent[]): void {
  for (const name of events.flatMap(progressFilesChangedBy)) loop.staleProgressFiles?.add(name);
}
