import type { LoopEvent, LoopState } from "@ccw-loop/core";
import { ZodError } from "zod";
import { type StoredCommit, unsealed } from "../commits/commit.ts";
import { commit } from "../commits/commit-events.ts";
import { refresh } from "../commits/head.ts";
import { newestTold } from "../commits/journal-end.ts";
import { foldJournal } from "../commits/state-at.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { mergeExternal } from "./merge.ts";

/**
 * At first contact: a commit comes before its journal, so lines of later commits are what is left of lost ones, or
 * somebody else wrote them. They bring what any document brings, and make room for our own. True when the caller has
 * to start over.
 */
export async function importJournalLines(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<boolean> {
  const { revision, state } = head.commit;
  const told = newestTold(context.disk, loop.paths.journal);
  if (told <= revision) {
    loop.journalChecked = true;
    return false;
  }
  if (refresh(context, loop) !== head) return true;
  const { found } = await foldJournal(context, loop, { state, revision });
  const events = found ? editsIn(state, found.state, context.now().toISOString()) : [];
  if (events.length > 0 && !(await commit(context, loop, events, { actor: "external" }))) {
    return true;
  }
  loop.journalChecked = true;
  loop.published = 0;
  const { id } = loop.paths;
  const lines = told === revision + 1 ? `revision ${told}` : `revisions ${revision + 1} to ${told}`;
  context.warn(
    id,
    `The journal of loop ${id} tells of ${lines}, but its history ends at revision ${revision}. Only what an operator may write was taken over from there.`,
  );
  return true;
}

/** What an operator may have written; none when it does not fit. Nothing is started by it. */
function editsIn(ours: LoopState, told: LoopState, at: string): LoopEvent[] {
  const status = told.status === "running" ? ours.status : told.status;
  const theirs = unsealed({ ...told, status });
  try {
    return mergeExternal({ base: ours, writtenBy: () => null }, ours, { theirs, written: 0 }, at)
      .events;
  } catch (error) {
    if (error instanceof ZodError) return [];
    throw error;
  }
}
