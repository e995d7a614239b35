import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  type Recovery,
  type RevisionOptions,
  restoreState,
  revisionConflict,
  type StoredLoop,
  tryParseJson,
} from "@ccw-loop/core";
import { backUp, bytesOf, setAside } from "../backups.ts";
import { commit } from "../commit/append.ts";
import { withoutEtag } from "../commit/commit-form.ts";
import { hasOwnEtag } from "../commit/etag.ts";
import { refresh } from "../commit/head.ts";
import { createHistory } from "../commit/history.ts";
import { isNearTheEnd, rangesOf, revisionsText } from "../commit/revision-names.ts";
import { forget, type OpenLoop, type StoreContext } from "../context.ts";
import { stateIn } from "../external-edits/import-document.ts";
import type { Disk } from "../fs/disk.ts";
import { notFound } from "../fs/errors.ts";
import { reconcile } from "../reconcile.ts";
import { laterEpoch, makeHistory, misplacedIn } from "../safe-folders.ts";
import {
  commandsText,
  pausedUnproven,
  pausedWithCommands,
  refusedText,
  revisionAfter,
} from "./lost-history.ts";
import { type Remains, rebuildFromDocuments, remainsOf } from "./remains.ts";
import { rewriteJournal, startNewHistory } from "./rewrite.ts";

/** When more files of a history cannot be read, the whole folder is kept aside. */
const MOST_DAMAGED = 64;

/**
 * Rebuilds a loop from what is left of its files, the history first. Nothing is deleted: what is damaged is kept
 * aside. What does not come from the history proves nothing, and without any history the loop is paused. With
 * `dryRun` nothing is changed at all.
 */
export async function recover(
  context: StoreContext,
  loop: OpenLoop,
  { dryRun, at, revision }: RevisionOptions & { dryRun: boolean; at: string },
): Promise<Recovery> {
  forget(loop);
  const misplaced = misplacedIn(context, loop.paths).map(({ path }) => path);
  const seen = hidePaths(context, misplaced);
  const remains = await remainsOf(seen, loop);
  const plan = planFor(seen, loop, remains, at, misplaced);
  const { known, newerCopy, highest } = remains;
  const requireNewest = (newest = 0) => {
    if (revision === undefined || newest === revision) return;
    throw revisionConflict(loop.paths.id, revision, newest);
  };
  requireNewest(known?.revision);
  if (dryRun) return plan;
  const notes = [...plan.notes, ...(await clearAway(context, loop, remains, misplaced))];
  const untouched = !known && !newerCopy && isWhole(context, loop);
  const { state, unknown } = plan;
  const event = { type: "loop.recovered" as const, at, state: withoutEtag(state), unknown };
  if (needsNewHistory(remains)) {
    const first = revisionAfter(highest);
    notes.push(...(await startNewHistory(context, loop, event, first)).map(keptAs));
  } else if (!untouched && (known?.revision !== highest || newerCopy)) {
    makeHistory(context, loop.paths, laterEpoch(context));
    await context.disk.syncFolder(loop.paths.folder);
    const options = { actor: "recover", revision: highest + 1 };
    const added = await commit(context, loop, [event], options);
    if (!added) requireNewest(refresh(context, loop)?.commit.revision);
  } else requireNewest(refresh(context, loop)?.commit.revision);
  const { commit: newest } = await reconcile(context, loop);
  loop.staleProgressFiles = null;
  loop.published = 0;
  return { ...plan, state: newest.state, notes };
}

/** True when hardly a number is left for a commit, or when the history is full of files that are none. */
function needsNewHistory({ highest, damaged }: Remains): boolean {
  return isNearTheEnd(highest) || damaged.length > MOST_DAMAGED;
}

function planFor(
  context: StoreContext,
  loop: OpenLoop,
  remains: Remains,
  at: string,
  misplaced: readonly string[],
): Recovery {
  const { unreadable, highest } = remains;
  const more = misplaced.map((path) => `Something else stands in the place of ${basename(path)}.`);
  if (isNearTheEnd(highest)) {
    more.push("The numbers of its revisions are used up; they begin again at 1.");
  }
  if (unreadable > 0) {
    more.push(
      `${unreadable} ${unreadable === 1 ? "line" : "lines"} of the journal cannot be read.`,
    );
  }
  const found = rebuilt(remains);
  if (found) return { source: "journal", ...found, notes: [...found.notes, ...more] };
  const read = adoptable(context, loop) ?? rebuildFromDocuments(context, loop, at);
  if (!read) throw notFound(loop.paths.id);
  return { source: "documents", ...read, notes: [...read.notes, ...more] };
}

/** The state that history, journal and state file give; null when none of them tells any. */
function rebuilt({
  known,
  believed,
  newerCopy,
  damaged,
}: Remains): Omit<Recovery, "source"> | null {
  const newest = newerCopy ?? known;
  if (!newest) return null;
  const { value, refused } = newerCopy
    ? restoreState(newerCopy.state, believed?.state)
    : { value: newest.state, refused: [] };
  const state = believed ? value : pausedUnproven(value);
  const notes = sentencesFor(newest, { exact: refused.length === 0, damaged });
  if (refused.length > 0) notes.push(refusedText(refused));
  if (!believed) notes.push("Its history is gone: nothing of it is proven.");
  return { state, unknown: refused, notes };
}

/** True for a loop of another tool that only was not looked at yet. */
function isWhole({ disk }: StoreContext, { paths }: OpenLoop): boolean {
  return stateIn(disk.read(paths.document) ?? "", paths.id) !== null;
}

/** A loop of another tool that is fine, or whose file only has too much behind its end. */
function adoptable({ disk }: StoreContext, { paths }: OpenLoop): Omit<Recovery, "source"> | null {
  const text = disk.read(paths.document) ?? "";
  const object = firstObject(text);
  const whole = stateIn(object, paths.id);
  const found = whole ?? stateIn(withoutBookkeeping(object), paths.id);
  if (!found) return null;
  const { value, refused } = restoreState(found);
  const more = text.slice(text.indexOf(object) + object.length).trim().length;
  const note =
    more > 0
      ? `The state file has ${more} characters too many at its end; the state before them is whole.`
      : whole
        ? "The state file is whole; nothing is damaged."
        : "The state file is whole but for its revision and etag, which are not believed.";
  const isOlder = whole !== null && whole.revision === undefined;
  const state = isOlder ? pausedWithCommands(value) : pausedUnproven(value);
  const notes = [note, ...(refused.length > 0 ? [refusedText(refused)] : [])];
  const commands = commandsText(state);
  return { state, unknown: refused, notes: commands === null ? notes : [...notes, commands] };
}

/** What only the store writes, and may be beyond all bounds, need not be right for the rest to be. */
function withoutBookkeeping(text: string): string {
  const { revision: _, etag: __, schema_version: ___, ...rest } = Object(tryParseJson(text));
  return JSON.stringify(rest);
}

function sentencesFor(
  { revision, from }: StoredLoop & { from?: string },
  { exact, damaged }: { exact: boolean; damaged: readonly number[] },
): string[] {
  const isLost = (one: number) => one > revision && !isNearTheEnd(one);
  const lost = damaged.filter(isLost);
  const older = damaged.filter((one) => !isLost(one));
  const sentences: string[] = [];
  if (lost.length > 0) {
    const what = revisionsText(rangesOf(lost)).replace(/^r/, "R");
    sentences.push(
      `${what} ${lost.length === 1 ? "is" : "are"} lost; revision ${revision} is the newest that can be read.`,
    );
  }
  if (from !== undefined) {
    sentences.push(`Revision ${revision} was rebuilt${exact ? " exactly" : ""} from the ${from}.`);
  } else if (damaged.length === 0) {
    sentences.push("The history is whole; what is published is written again from it.");
  }
  if (older.length > 0) {
    sentences.push(
      `The file of ${revisionsText(rangesOf(older))} cannot be read; the newest state does not need it.`,
    );
  }
  return sentences;
}

/** Keeps copies of what cannot be read for good; answers with what was done, as sentences. */
async function clearAway(
  context: StoreContext,
  loop: OpenLoop,
  remains: Remains,
  misplaced: readonly string[],
) {
  const { disk, history } = context;
  const { document } = loop.paths;
  const moved = misplaced.flatMap((path) => setAside(disk, path));
  if (!needsNewHistory(remains)) {
    moved.push(...remains.damaged.map((revision) => history.keepDamaged(loop.paths, revision)));
  }
  const text = disk.read(document);
  const state = text === null ? null : stateIn(text, loop.paths.id);
  const { newerCopy, known } = remains;
  if (
    text !== null &&
    (state === null || (hasOwnEtag(tryParseJson(text)) && (newerCopy || !known)))
  ) {
    const isCopied =
      newerCopy && state && isDeepStrictEqual(withoutEtag(state), withoutEtag(newerCopy.state));
    const why = state ? "conflict" : "damaged";
    if (!isCopied) moved.push(backUp(context, loop, document, why, bytesOf(disk, document)));
    loop.publishedText = text;
  }
  const mended = remains.unreadable > 0 ? await rewriteJournal(context, loop) : [];
  return [...moved.map((path) => keptAs(basename(path))), ...mended];
}

function keptAs(name: string): string {
  return `What was damaged is kept as ${name}.`;
}

/** The context as if nothing stood at these paths. */
export function hidePaths(context: StoreContext, paths: readonly string[]): StoreContext {
  if (paths.length === 0) return context;
  const { disk } = context;
  const hidden = (path: string) =>
    paths.some((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}\\`));
  const seen: Disk = {
    ...disk,
    read: (path) => (hidden(path) ? null : disk.read(path)),
    chunks: (path, start) => (hidden(path) ? nothing() : disk.chunks(path, start)),
    readBytes: (path, start, length) =>
      hidden(path) ? Buffer.alloc(0) : disk.readBytes(path, start, length),
    info: (path) => (hidden(path) ? null : disk.info(path)),
    list: (path) => (hidden(path) ? [] : disk.list(path)),
  };
  return { ...context, disk: seen, history: createHistory(seen, context.runtime) };
}

async function* nothing(): AsyncIterable<Buffer> {}

/**
 * The text up to where its first JSON object ends; all of it when none ends. Two programs that wrote one file
 * at once left the end of the longer text behind the shorter one.
 */
export function firstObject(text: string): string {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth += 1;
    else if (char === "}" && --depth === 0) return text.slice(0, at + 1);
  }
  return text;
}
