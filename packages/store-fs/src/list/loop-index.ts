import {
  errorText,
  isLoopError,
  type Listed,
  type ListQuery,
  type LoopPage,
  listedOf,
  newestFirst,
  pageOf,
  type StoredLoop,
} from "@ccw-loop/core";
import { identityOf, type StoreContext } from "../context.ts";
import { findSource, legacyIds } from "../legacy/read.ts";
import { loopPaths, partOf } from "../paths.ts";
import { leftoverError } from "../repair/lost-history.ts";
import { yieldAfterLongWork } from "../runtime.ts";
import { filesOf, type KeptLoop, readKeptList, writeKeptList } from "./kept-list.ts";
import { readWithoutWriting } from "./read-loop.ts";
import type { FolderWatch } from "./watch.ts";

/** Whole states are kept for the pages that people look at, not for every loop. */
const STATES_KEPT = 400;

interface Entry {
  path: string;
  /** Its identity when it was read; null when there was none. */
  file: string | null;
  summary: Listed | null;
  /** What makes it known again to the next process, for a loop that its document shows as it is. */
  shown: ReturnType<typeof filesOf>;
}

/** So many loops are kept for the next process; fewer are read as fast. */
const MANY = 500;
/** So many changes at once are sorted together. */
const BULK = 100;

/** Answers lists from memory; only loops that changed since are read again. Of a loop nothing is written. */
export function loopIndex(context: StoreContext, folderWatch: FolderWatch) {
  const { disk, runtime, history, project } = context;
  const entries = new Map<string, Entry>();
  const states = new Map<string, StoredLoop>();
  const dirty = new Set<string>();
  /** Loops in older places: nobody tells when they change. */
  const elsewhere = new Set<string>();
  /** Why a loop cannot be read. */
  const damaged = new Map<string, string>();
  let kept: Map<string, KeptLoop> | null = null;
  let changes = 0;
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
    kept ??= ids.length < MANY ? new Map() : readKeptList(context);
    if (ids.length > BULK) sorted = null;
    const yieldIfLong = yieldAfterLongWork(runtime);
    for (const id of ids) {
      if (closed) return;
      await look(id);
      await yieldIfLong();
    }
    if (changes >= MANY) keepList();
  }

  function keepList(): void {
    changes = 0;
    const loops = [...entries].flatMap(([id, { shown, summary }]) => {
      if (!shown || !summary) return [];
      const { updated_at, status, tags, words } = summary;
      return { id, ...shown, updated_at, status, tags: [...tags], words };
    });
    if (loops.length >= MANY) writeKeptList(context, loops);
  }

  const hasChanged = ({ path, file }: Entry) => identityOf(disk, path) !== file;
  const changedElsewhere = () =>
    [...elsewhere].filter((id) => {
      const entry = entries.get(id);
      return entry && hasChanged(entry);
    });

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
    forget(id);
    const summary = takeKept(id) ?? (await readAgain(id));
    if (!sorted || !summary) return;
    const place = sorted.findIndex((other) => newestFirst(other, summary) > 0);
    sorted.splice(place < 0 ? sorted.length : place, 0, summary);
  }

  function forget(id: string): void {
    const summary = entries.get(id)?.summary;
    if (sorted && summary) sorted.splice(sorted.indexOf(summary), 1);
    states.delete(id);
    entries.delete(id);
    elsewhere.delete(id);
    damaged.delete(id);
  }

  /** A loop that is as it was when another process read it. */
  function takeKept(id: string): Listed | null {
    const known = kept?.get(id);
    if (!known) return null;
    kept?.delete(id);
    const paths = loopPaths(project.loops, id);
    const file = identityOf(disk, paths.document);
    const files = filesOf(context, paths);
    const { document, history, id: loop_id, ...rest } = known;
    if (files?.document !== document || files.history !== history) return null;
    const summary = { loop_id, ...rest };
    entries.set(id, { path: paths.document, file, summary, shown: files });
    return summary;
  }

  async function readAgain(id: string): Promise<Listed | null> {
    const paths = loopPaths(project.loops, id);
    const path = findSource(context, paths)?.state ?? paths.document;
    const files = filesOf(context, paths);
    const entry: Entry = { path, file: identityOf(disk, path), summary: null, shown: null };
    const note = (reason: string) => {
      entries.set(id, entry);
      damaged.set(id, reason);
    };
    changes += 1;
    if (path !== paths.document) elsewhere.add(id);
    try {
      const stored = await readWithoutWriting(context, id);
      if (!stored) {
        const left = leftoverError(context, paths);
        if (left) note(left.message);
        return null;
      }
      entry.summary = listedOf(stored.state);
      const { state, revision, isShown } = stored;
      if (isShown) entry.shown = files;
      entries.set(id, entry);
      keep(id, { state, revision });
    } catch (error) {
      if (!isLoopError(error, "invalid_id")) note(errorText(error));
    }
    return entry.summary;
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
    const read = await readWithoutWriting(context, id).catch(() => null);
    return read && { state: read.state, revision: read.revision };
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
      return { loops, total, damaged: [...damaged].map(([id, reason]) => ({ id, reason })) };
    },
    close(): void {
      closed = true;
      if (changes > 0) keepList();
      unsubscribe?.();
    },
  };
}
