import {
  errorText,
  isLoopError,
  type Listed,
  type ListQuery,
  type LoopPage,
  LoopState,
  listedOf,
  newestFirst,
  pageOf,
  type StoredLoop,
  tryParseJson,
} from "@ccw-loop/core";
import { freeze, type StoredCommit } from "../commit/commit.ts";
import { refresh } from "../commit/head.ts";
import { stateAfter } from "../commit/replay.ts";
import { identityOf, newOpenLoop, type OpenLoop, type StoreContext } from "../context.ts";
import { isPublishedByUs, mergedEdit } from "../external-edits/import-document.ts";
import { failureOf } from "../folders.ts";
import { findSource, legacyIds, readLegacy } from "../legacy/read.ts";
import { loopPaths, partOf } from "../paths.ts";
import { leftoverError } from "../repair/lost-history.ts";
import { yieldAfterLongWork } from "../runtime.ts";
import type { FolderWatch } from "./watch.ts";

/** Whole states are kept for the pages that people look at, not for every loop. */
const STATES_KEPT = 400;

interface Entry {
  path: string;
  /** Its identity when it was read; null when there was none. */
  file: string | null;
  /** It lies in an older place: nobody tells when it changes. */
  isElsewhere: boolean;
  summary: Listed | null;
  /** Why it cannot be read. */
  reason: string | null;
}

/** Answers lists from memory; only loops that changed since are read again. Writes nothing. */
export function loopIndex(context: StoreContext, folderWatch: FolderWatch) {
  const { disk, runtime, history, project } = context;
  const entries = new Map<string, Entry>();
  const states = new Map<string, StoredLoop>();
  const dirty = new Set<string>();
  let everything = true;
  let sorted: Listed[] | null = null;
  let updating: Promise<void> = Promise.resolve();
  let unsubscribe: (() => void) | null = null;
  let closed = false;

  function changed(name: string | null): void {
    if (name === null) everything = true;
    const part = name === null ? null : partOf(name);
    // What is left of a loop matters only where nothing tells its state.
    if (part && (part.part === "state" || !entries.get(part.id)?.summary)) dirty.add(part.id);
  }

  async function update(): Promise<void> {
    unsubscribe ??= folderWatch.subscribe(changed, false);
    await folderWatch.caughtUp();
    const all = everything;
    everything = false;
    const ids = all ? await changedIds() : [...dirty, ...changedElsewhere()];
    for (const id of ids) dirty.delete(id);
    const yieldIfLong = yieldAfterLongWork(runtime);
    for (const id of ids) {
      if (closed) return;
      await look(id);
      await yieldIfLong();
    }
  }

  const hasChanged = ({ path, file }: Entry) => identityOf(disk, path) !== file;
  const changedElsewhere = () =>
    [...entries].flatMap(([id, entry]) => (entry.isElsewhere && hasChanged(entry) ? [id] : []));

  /** Every id whose document is not the one that was read, and those that went away. */
  async function changedIds(): Promise<string[]> {
    const names = await disk.listLarge(project.loops);
    const found = new Set(await legacyIds(context, project.loops));
    for (const name of names) {
      const part = partOf(name);
      if (part) found.add(part.id);
    }
    const suspects = new Set([...dirty, ...entries.keys(), ...found]);
    const ids: string[] = [];
    let n = 0;
    for (const id of suspects) {
      const entry = entries.get(id);
      if (!entry || !found.has(id) || dirty.has(id) || hasChanged(entry)) ids.push(id);
      if (++n % 500 === 0) await runtime.yieldToEventLoop();
    }
    return ids;
  }

  async function look(id: string): Promise<void> {
    const paths = loopPaths(project.loops, id);
    const path = findSource(context, paths)?.state ?? paths.document;
    const isElsewhere = path !== paths.document;
    const read = { path, file: identityOf(disk, path), isElsewhere };
    sorted = null;
    states.delete(id);
    entries.delete(id);
    try {
      const stored = await readWithoutWriting(context, id);
      if (!stored) {
        const left = leftoverError(context, paths);
        if (left) entries.set(id, { ...read, summary: null, reason: left.message });
        return;
      }
      entries.set(id, { ...read, summary: listedOf(stored.state), reason: null });
      keep(id, stored);
    } catch (error) {
      if (isLoopError(error, "invalid_id")) return;
      entries.set(id, { ...read, summary: null, reason: errorText(error) });
    }
  }

  function keep(id: string, stored: StoredLoop): void {
    states.delete(id);
    states.set(id, stored);
    const oldest = states.keys().next().value;
    if (states.size > STATES_KEPT && oldest !== undefined) states.delete(oldest);
  }

  /** A loop of the page as it is now; null when it went away meanwhile. */
  async function stored(id: string): Promise<StoredLoop | null> {
    const known = states.get(id);
    const paths = loopPaths(project.loops, id);
    if (known && history.identity(paths, known.revision + 1) === null) return known;
    return readWithoutWriting(context, id).catch(() => null);
  }

  return {
    async list(query: ListQuery): Promise<LoopPage> {
      updating = updating.then(update, update);
      await updating;
      sorted ??= [...entries.values()].flatMap(({ summary }) => summary ?? []).sort(newestFirst);
      const { page, total } = pageOf(sorted, query);
      const loops: StoredLoop[] = [];
      for (const { loop_id: id } of page) {
        const loop = await stored(id);
        if (loop) {
          keep(id, loop);
          loops.push(loop);
        }
      }
      const damaged = [...entries].flatMap(([id, { reason }]) =>
        reason === null ? [] : [{ id, reason }],
      );
      return { loops, total, damaged };
    },
    close(): void {
      closed = true;
      unsubscribe?.();
    },
  };
}

/**
 * A loop as reading it would find it, without writing anything: a document that another program wrote is merged in
 * memory, and a loop that has no history of ours yet is at revision 0. Null when there is none. Throws what `read` throws.
 */
export async function readWithoutWriting(
  context: StoreContext,
  id: string,
): Promise<StoredLoop | null> {
  const loop = newOpenLoop(context.project.loops, id);
  try {
    const published = ownDocument(context, loop);
    if (published) return published;
    const head = refresh(context, loop);
    if (head) return { state: await merged(context, loop, head), revision: head.commit.revision };
    const older = await readLegacy(context, loop.paths);
    return older && { state: freeze(older.state), revision: older.highestRevisionNamed };
  } catch (error) {
    throw failureOf(context, loop, error);
  }
}

/** The published document, when it says what the history does and no newer commit is there. */
function ownDocument(context: StoreContext, loop: OpenLoop): StoredLoop | null {
  const { disk, history } = context;
  const { paths } = loop;
  const raw = tryParseJson(disk.read(paths.document));
  if (!isPublishedByUs(context, loop, raw)) return null;
  if (history.identity(paths, raw.revision + 1) !== null) return null;
  const state = LoopState.safeParse(raw);
  return state.success ? { state: freeze(state.data), revision: raw.revision } : null;
}

/** What the document of another program makes of the newest commit. */
async function merged(
  context: StoreContext,
  loop: OpenLoop,
  head: StoredCommit,
): Promise<LoopState> {
  const { id, document } = loop.paths;
  const ours = { ...head.commit.state, loop_id: id };
  const text = context.disk.read(document);
  if (text === null || isPublishedByUs(context, loop, tryParseJson(text))) return freeze(ours);
  const written = context.disk.info(document)?.modified ?? 0;
  const merge = await mergedEdit(context, loop, { text, written });
  return freeze(merge ? stateAfter(ours, merge.events) : ours);
}
