import {
  countThrough,
  isLoopError,
  type ListQuery,
  type LoopPage,
  LoopState,
  newestFirst,
  type StoredLoop,
} from "@ccw-loop/core";
import { freeze, isSealed } from "../commits/commit.ts";
import { jsonOf } from "../commits/lines.ts";
import { type Context, identityOf } from "../context.ts";
import { olderIds } from "../older/sources.ts";
import { loopPaths, partOf } from "../paths.ts";
import type { FolderWatch } from "./folder-watch.ts";
import { fits, type Summary, summaryOf } from "./query.ts";

/** Whole states are kept for the pages that people look at, not for every loop. */
const STATES_KEPT = 400;
const BATCH = 32;

interface Entry {
  /** The document it was read from; null when there was none. */
  file: string | null;
  summary: Summary | null;
  /** Why it cannot be read. */
  reason: string | null;
}

/** Answers lists from memory; only loops that changed since are read again. */
export interface LoopIndex {
  list(query: ListQuery): Promise<LoopPage>;
  close(): void;
}

/** `read` is the store's own, for whatever is more than a document of ours that lies there untouched. */
export function loopIndex(
  context: Context,
  folderWatch: FolderWatch,
  read: (id: string) => Promise<StoredLoop>,
): LoopIndex {
  const { disk, machine, history, project } = context;
  const entries = new Map<string, Entry>();
  const states = new Map<string, StoredLoop>();
  const dirty = new Set<string>();
  let everything = true;
  let sorted: Summary[] | null = null;
  let refreshing: Promise<void> = Promise.resolve();
  let unsubscribe: (() => void) | null = null;

  function changed(name: string | null): void {
    if (name === null) everything = true;
    const part = name === null ? null : partOf(name);
    if (part?.part === "state") dirty.add(part.id);
  }

  async function refresh(): Promise<void> {
    unsubscribe ??= folderWatch.subscribe(changed, false);
    await folderWatch.caughtUp();
    const all = everything;
    everything = false;
    const ids = all ? await changedIds() : [...dirty];
    for (const id of ids) dirty.delete(id);
    for (const [n, id] of ids.entries()) {
      await look(id);
      if (n % BATCH === BATCH - 1) await machine.turn();
    }
  }

  /** Every id whose document is not the one that was read, and those that went away. */
  async function changedIds(): Promise<string[]> {
    const names = await disk.listLarge(project.loops);
    const found = new Set(await olderIds(context, project.loops));
    for (const name of names) {
      const part = partOf(name);
      if (part?.part === "state") found.add(part.id);
    }
    const suspects = new Set([...dirty, ...entries.keys(), ...found]);
    const ids: string[] = [];
    let n = 0;
    for (const id of suspects) {
      const entry = entries.get(id);
      const file = identityOf(disk, loopPaths(project.loops, id).document);
      if (!entry || !found.has(id) || dirty.has(id) || entry.file !== file) ids.push(id);
      if (++n % 500 === 0) await machine.turn();
    }
    return ids;
  }

  async function look(id: string): Promise<void> {
    const { document } = loopPaths(project.loops, id);
    const file = identityOf(disk, document);
    sorted = null;
    states.delete(id);
    entries.delete(id);
    try {
      const stored = quickly(id) ?? (await read(id));
      entries.set(id, {
        file: identityOf(disk, document),
        summary: summaryOf(stored.state),
        reason: null,
      });
      keep(id, stored);
    } catch (error) {
      if (isLoopError(error, "loop_not_found", "invalid_id")) return;
      const reason = error instanceof Error ? error.message : String(error);
      entries.set(id, { file, summary: null, reason });
    }
  }

  /** The published document, when it is ours and no newer commit is there. */
  function quickly(id: string): StoredLoop | null {
    const paths = loopPaths(project.loops, id);
    if (disk.info(paths.document)?.kind !== "file") return null;
    const raw = jsonOf(disk.read(paths.document) ?? "");
    if (!isSealed(raw) || history.identity(paths, raw.revision) === null) return null;
    if (history.identity(paths, raw.revision + 1) !== null) return null;
    const state = LoopState.safeParse(raw);
    return state.success ? { state: freeze(state.data), revision: raw.revision } : null;
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
    return (async () => quickly(id) ?? (await read(id)))().catch(() => null);
  }

  return {
    async list({ offset = 0, limit = 50, after, ...query }) {
      refreshing = refreshing.then(refresh, refresh);
      await refreshing;
      sorted ??= [...entries.values()].flatMap(({ summary }) => summary ?? []).sort(newestFirst);
      const found = sorted.filter((summary) => fits(summary, query));
      const page: StoredLoop[] = [];
      const begin = offset + (after ? countThrough(found, after) : 0);
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
    close: () => unsubscribe?.(),
  };
}
