import {
  countUpTo,
  isLoopError,
  type ListQuery,
  type LoopPage,
  newestFirst,
  type StoredLoop,
} from "@ccw-loop/core";
import { identityOf, type StoreContext } from "../context.ts";
import { findSource, legacyIds } from "../older/sources.ts";
import { leftoverOf, loopPaths, partOf } from "../paths.ts";
import { leftoverError } from "../recovery/left-alone.ts";
import type { FolderWatch } from "./folder-watch.ts";
import { readWithoutWriting } from "./peek.ts";
import { matchesQuery, type Summary, summaryOf } from "./query.ts";

/** Whole states are kept for the pages that people look at, not for every loop. */
const STATES_KEPT = 400;
/** How long a look through loops may take before everything else in this process gets its turn. */
const TURN_MS = 5;

/** A file and its identity when it was read; null when there was none. */
interface Read {
  path: string;
  file: string | null;
}

interface Entry extends Read {
  summary: Summary | null;
  /** Why it cannot be read. */
  reason: string | null;
}

/** Answers lists from memory; only loops that changed since are read again. Writes nothing. */
export interface LoopIndex {
  list(query: ListQuery): Promise<LoopPage>;
  close(): void;
}

export function loopIndex(context: StoreContext, folderWatch: FolderWatch): LoopIndex {
  const { disk, machine, history, project } = context;
  const entries = new Map<string, Entry>();
  const states = new Map<string, StoredLoop>();
  const dirty = new Set<string>();
  /** Those of the entries that lie in older places: nobody tells when they change. */
  const elsewhere = new Map<string, Read>();
  let everything = true;
  let sorted: Summary[] | null = null;
  let refreshing: Promise<void> = Promise.resolve();
  let unsubscribe: (() => void) | null = null;
  let closed = false;

  function changed(name: string | null): void {
    if (name === null) everything = true;
    const part = name === null ? null : partOf(name);
    if (part?.part === "state") dirty.add(part.id);
    // What is left of a loop matters only where nothing tells its state.
    const left = name === null ? null : leftoverOf(name);
    if (left !== null && !entries.get(left)?.summary) dirty.add(left);
  }

  async function refresh(): Promise<void> {
    unsubscribe ??= folderWatch.subscribe(changed, false);
    await folderWatch.caughtUp();
    const all = everything;
    everything = false;
    const ids = all ? await changedIds() : [...dirty, ...changedElsewhere()];
    for (const id of ids) dirty.delete(id);
    let rested = machine.elapsed();
    for (const id of ids) {
      if (closed) return;
      await look(id);
      if (machine.elapsed() - rested < TURN_MS) continue;
      await machine.turn();
      rested = machine.elapsed();
    }
  }

  const hasChanged = ({ path, file }: Read) => identityOf(disk, path) !== file;
  const changedElsewhere = () =>
    [...elsewhere].flatMap(([id, read]) => (hasChanged(read) ? [id] : []));

  /** Every id whose document is not the one that was read, and those that went away. */
  async function changedIds(): Promise<string[]> {
    const names = await disk.listLarge(project.loops);
    const found = new Set(await legacyIds(context, project.loops));
    for (const name of names) {
      const part = partOf(name);
      if (part?.part === "state") found.add(part.id);
      const left = leftoverOf(name);
      if (left !== null) found.add(left);
    }
    const suspects = new Set([...dirty, ...entries.keys(), ...found]);
    const ids: string[] = [];
    let n = 0;
    for (const id of suspects) {
      const entry = entries.get(id);
      if (!entry || !found.has(id) || dirty.has(id) || hasChanged(entry)) ids.push(id);
      if (++n % 500 === 0) await machine.turn();
    }
    return ids;
  }

  async function look(id: string): Promise<void> {
    const paths = loopPaths(project.loops, id);
    const path = findSource(context, paths)?.state ?? paths.document;
    const read = { path, file: identityOf(disk, path) };
    sorted = null;
    states.delete(id);
    entries.delete(id);
    elsewhere.delete(id);
    try {
      const stored = await readWithoutWriting(context, id);
      if (!stored) {
        const left = leftoverError(context, paths);
        if (left) entries.set(id, { ...read, summary: null, reason: left.message });
        return;
      }
      entries.set(id, { ...read, summary: summaryOf(stored.state), reason: null });
      keep(id, stored);
    } catch (error) {
      if (isLoopError(error, "invalid_id")) return;
      const reason = error instanceof Error ? error.message : String(error);
      entries.set(id, { ...read, summary: null, reason });
    }
    if (path !== paths.document) elsewhere.set(id, read);
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
    async list({ offset = 0, limit = 50, after, ...query }) {
      refreshing = refreshing.then(refresh, refresh);
      await refreshing;
      sorted ??= [...entries.values()].flatMap(({ summary }) => summary ?? []).sort(newestFirst);
      const found = sorted.filter((summary) => matchesQuery(summary, query));
      const page: StoredLoop[] = [];
      const begin = offset + (after ? countUpTo(found, after) : 0);
      for (const { loop_id: id } of found.slice(begin, begin + limit)) {
        const loop = await stored(id);
        if (loop) {
          keep(id, loop);
          page.push(loop);
        }
      }
      const damaged = [...entries].flatMap(([id, { reason }]) =>
        reason === null ? [] : [{ id, reason }],
      );
      return { loops: page, total: found.length, damaged };
    },
    close() {
      closed = true;
      unsubscribe?.();
    },
  };
}
