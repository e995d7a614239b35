import { basename } from "node:path";
import {
  admitTask,
  type DevelopTask,
  isLoopError,
  type LoopEvent,
  LoopId,
  type LoopState,
  parseTaskLines,
  renderTaskLines,
  taskCommand,
  tasksOf,
} from "@ccw-loop/core";
import { ZodError } from "zod";
import { backUp, bytesOf } from "../backups.ts";
import { commit } from "../commit/append.ts";
import { type StoredCommit, withoutEtag } from "../commit/commit-form.ts";
import { digestOf } from "../commit/etag.ts";
import { foldJournal } from "../commit/fold-journal.ts";
import { refresh } from "../commit/head.ts";
import { revisionsText } from "../commit/revision-names.ts";
import { identityOf, type OpenLoop, type StoreContext } from "../context.ts";
import { lastJournalRevision } from "../journal/journal.ts";
import { mergeExternal } from "./merge.ts";

/**
 * Takes in tasks that somebody added to the task file. Only tasks that no kept revision knows are new: a line
 * of a task that was removed since, in a file that is merely old, is not. Anything else that was changed there
 * is kept aside. True when the caller has to start over.
 */
export async function importTaskLines(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<boolean> {
  const { disk } = context;
  const { id, tasks: path } = loop.paths;
  const file = identityOf(disk, path);
  if (file === (loop.tasks?.file ?? null)) return false;
  const text = disk.read(path) ?? "";
  const { state } = head.commit;
  const markSeen = () => {
    loop.tasks = file === null ? null : { file, text };
  };
  if (text === renderTaskLines(state)) {
    markSeen();
    return false;
  }
  // A commit comes before its task file: whoever sees a newer file can see the newer commit.
  if (refresh(context, loop) !== head) return true;
  const past = knownStates(context, loop, state);
  loop.published = 0;
  if (past.some((old) => text === renderTaskLines(old))) {
    markSeen();
    return false;
  }
  const { fresh, lost } = addedTasks(text, past);
  const rejected = () => {
    const aside = backUp(context, loop, path, "rejected", bytesOf(disk, path));
    context.warn(
      id,
      `${basename(path)} was changed by somebody else. New tasks were taken in; the rest is kept as ${basename(aside)}.`,
    );
  };
  if (lost) rejected();
  if (fresh.length > 0) {
    const at = context.now().toISOString();
    const events = fresh.map((task) => ({
      type: "task.added" as const,
      at,
      task: {
        ...admitTask(task),
        status: "pending" as const,
        created_at: task.created_at ?? at,
      },
    }));
    const opId = `tasks:${digestOf(`${file}\n${text}`)}`;
    try {
      if (!(await commit(context, loop, events, { actor: "external", opId }))) return true;
    } catch (error) {
      // With them the loop would be larger or nested deeper than what is read again.
      if (!isLoopError(error, "invalid_input")) throw error;
      rejected();
      markSeen();
      return false;
    }
  }
  markSeen();
  return fresh.length > 0;
}

/** The states of the newest revisions that can be read. */
function knownStates(
  { history }: StoreContext,
  { paths }: OpenLoop,
  state: LoopState,
): LoopState[] {
  const older = [...history.tryLoadAll(paths, history.recent(paths))];
  return [...older.map(({ commit }) => commit.state), state];
}

/** The tasks that are new, and whether the text holds anything else that we do not have. */
function addedTasks(
  text: string,
  past: readonly LoopState[],
): { fresh: DevelopTask[]; lost: boolean } {
  const ids = new Set(past.flatMap(tasksOf).map((task) => task.id));
  const { tasks, rejected } = parseTaskLines(text);
  const fresh = tasks.filter((task) => !ids.has(task.id) && LoopId.safeParse(task.id).success);
  const ours = past.map(renderTaskLines).filter((old) => text.startsWith(old));
  const added = ours.map((old) => parseTaskLines(text.slice(old.length)).tasks.length);
  // They are taken in as tasks for the agent: a file gives no commands.
  const commands = fresh.some((task) => taskCommand(task) !== null);
  const lost = rejected.length > 0 || commands || !added.includes(fresh.length);
  return { fresh, lost };
}

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
  const newest = lastJournalRevision(context.disk, loop.paths.journal);
  if (newest <= revision) {
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
  const lines = revisionsText([{ from: revision + 1, to: newest }]);
  context.warn(
    id,
    `The journal of loop ${id} tells of ${lines}, but its history ends at revision ${revision}. Only what an operator may write was taken over from there.`,
  );
  return true;
}

/** What an operator may have written; none when it does not fit. Nothing is started by it. */
function editsIn(ours: LoopState, told: LoopState, at: string): LoopEvent[] {
  const status = told.status === "running" ? ours.status : told.status;
  const theirs = withoutEtag({ ...told, status });
  try {
    return mergeExternal({ base: ours, writtenBy: () => null }, ours, { theirs, written: 0 }, at)
      .events;
  } catch (error) {
    if (error instanceof ZodError) return [];
    throw error;
  }
}
