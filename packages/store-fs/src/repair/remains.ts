import { join } from "node:path";
import {
  COUNTED_ACTIONS,
  LoopState,
  PROGRESS_FILES,
  parseProgress,
  parseTaskLines,
  restoreState,
  type StoredLoop,
  tryParseJson,
} from "@ccw-loop/core";
import { hasOwnEtag } from "../commit/etag.ts";
import { foldJournal } from "../commit/fold-journal.ts";
import { isNearTheEnd } from "../commit/revision-names.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { stateIn } from "../external-edits/import-document.ts";
import { addTasks } from "../legacy/read.ts";
import { yieldAfterLongWork } from "../runtime.ts";

/** What is left of a loop's files. */
export interface Remains {
  /** The newest state that the history tells whole; null when none can be read. */
  known: StoredLoop | null;
  /** The newest that is believed: that one, or the published document, where the history has its etag. */
  believed: StoredLoop | null;
  /** A newer state that the journal or the state file tells, if any. */
  newerCopy: (StoredLoop & { from: "journal" | "state file" }) | null;
  /** Revisions whose files cannot be read, the oldest first. */
  damaged: number[];
  /** How many lines of the journal cannot be read. */
  unreadable: number;
  /** As far as one can tell, no commit was ever given a higher number; what only a name says is not believed of the last. */
  highest: number;
}

/**
 * Looks at history, journal and published document. Where the history has names, nobody else tells how far it went:
 * journal and document fill in what cannot be read of it, and no more. Of a history with more files than a loop
 * leaves, the older ones are not looked at once the newest that can be read is found.
 */
export async function remainsOf(context: StoreContext, loop: OpenLoop): Promise<Remains> {
  const { known, damaged, last } = await lookThrough(context, loop);
  const document = publishedState(context, loop);
  const believed = isNewerThan(document, known) && document.isOurs ? document : known;
  const upTo = last > 0 ? last : Number.POSITIVE_INFINITY;
  const { found, newest, unreadable } = await foldJournal(context, loop, believed, upTo);
  const journal = found && LoopState.safeParse(found.state).success ? found : null;
  let newerCopy: Remains["newerCopy"] = journal && { ...journal, from: "journal" };
  if (isNewerThan(document, newerCopy ?? known) && document.revision <= upTo) {
    newerCopy = { ...document, from: "state file" };
  }
  const highest = last > 0 ? last : Math.max(newest, newerCopy?.revision ?? 0);
  return { known, believed, newerCopy, damaged, unreadable, highest };
}

/** The newest commit that can be read, and the files that cannot. */
async function lookThrough(
  { history, runtime }: StoreContext,
  { paths }: OpenLoop,
): Promise<Pick<Remains, "known" | "damaged"> & { last: number }> {
  const yieldIfLong = yieldAfterLongWork(runtime);
  const recent = history.recent(paths);
  const states = new Map<number, LoopState>();
  for (const { commit } of history.tryLoadAll(paths, recent)) {
    states.set(commit.revision, commit.state);
    await yieldIfLong();
  }
  const damaged: number[] = [];
  let known: StoredLoop | null = null;
  let last = 0;
  for (const revision of history.revisions(paths).toReversed()) {
    const isRecent = revision >= (recent[0] ?? 0);
    if (known && !isRecent) break;
    await yieldIfLong();
    const state = isRecent ? states.get(revision) : history.tryLoad(paths, revision)?.commit.state;
    if (state) known ??= { state, revision };
    else if (!history.tryEvents(paths, revision)) damaged.push(revision);
    if (!isNearTheEnd(revision)) last = Math.max(last, revision);
  }
  return { known, damaged: damaged.reverse(), last: Math.max(last, known?.revision ?? 0) };
}

/** The published document; `isOurs` when a commit that is not damaged has the etag of its content. */
function publishedState(
  { disk, history }: StoreContext,
  { paths }: OpenLoop,
): (StoredLoop & { isOurs: boolean }) | null {
  const text = disk.read(paths.document) ?? "";
  const raw = tryParseJson(text);
  const state = hasOwnEtag(raw) ? stateIn(text, paths.id) : null;
  if (!hasOwnEtag(raw) || !state) return null;
  const { revision, etag } = raw;
  const isOurs = history.etag(paths, revision) === etag && history.tryEvents(paths, revision);
  return { state, revision, isOurs: Boolean(isOurs) };
}

function isNewerThan<T extends StoredLoop>(one: T | null, other: StoredLoop | null): one is T {
  return one !== null && one.revision > (other?.revision ?? 0);
}

/** A loop put together again from what people can read. */
export interface Rebuilt {
  state: LoopState;
  /** Fields that no document tells. */
  unknown: string[];
  notes: string[];
}

const TOLD_BY_DOCUMENTS = ["title", "description", "created_at", "max_iterations"] as const;
/** Fields that every repaired loop has. */
const ALWAYS_KNOWN = ["loop_id", "updated_at", "schema_version", "revision", "etag"];
const TOLD = [...TOLD_BY_DOCUMENTS, ...ALWAYS_KNOWN, "current_iteration", "skill_state", "tasks"];
const NEVER_TOLD = Object.keys(LoopState.shape).filter((field) => !TOLD.includes(field));

/**
 * `skill_state` from the progress documents, tasks from the task file. The loop is paused, so that nothing
 * runs before somebody has looked. Null when there is nothing to read.
 */
export function rebuildFromDocuments(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  at: string,
): Rebuilt | null {
  const files: Record<string, string> = {};
  for (const name of PROGRESS_FILES) {
    const text = disk.read(join(paths.progress, name));
    if (text !== null) files[name] = text;
  }
  const lines = parseTaskLines(disk.read(paths.tasks) ?? "");
  const found = Object.keys(files).length > 0 || lines.tasks.length > 0;
  if (!found && disk.info(paths.document) === null) return null;

  const { skill_state, loop, notes } = parseProgress(files);
  const done =
    skill_state?.completed_actions.filter((action) =>
      COUNTED_ACTIONS.some((one) => one === action),
    ) ?? [];
  const runs = skill_state?.validate.runs?.map((run) => run.iteration) ?? [];
  const iteration = Math.max(loop?.current_iteration ?? 0, done.length, ...runs);
  const told = LoopState.parse({
    title: paths.id,
    created_at: at,
    ...loop,
    loop_id: paths.id,
    status: "paused",
    current_iteration: iteration,
    updated_at: at,
    ...(skill_state ? { skill_state } : {}),
  });
  const { value: state, refused } = restoreState(addTasks(told, lines.tasks));
  const unknown = [
    ...TOLD_BY_DOCUMENTS.filter((field) => loop?.[field] === undefined),
    ...(loop?.current_iteration === undefined && iteration === 0 ? ["current_iteration"] : []),
    ...(skill_state ? [] : ["skill_state"]),
    ...NEVER_TOLD,
    ...refused,
  ];
  return { state, unknown, notes: [...notes, ...lines.rejected] };
}
