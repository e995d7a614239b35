import { identityOf, type StoreContext } from "../context.ts";
import type { Disk, FileInfo } from "../fs/disk.ts";
import { loopPaths, partOf } from "../paths.ts";
import { nodeRuntime, type Runtime, type Timer } from "../runtime.ts";

const LOOK_EVERY_MS = 400;
/** So many loops are compared at every look; for more of them looks are left out, since the system tells at once. */
const LOOPS_PER_LOOK = 50;

/** The ids of loops that may have changed, from this call on until `signal` aborts; with `id` only that one. */
export function watchLoops(
  context: StoreContext,
  folderWatch: FolderWatch,
  id: string | undefined,
  signal: AbortSignal,
): AsyncIterable<string> {
  const { disk, runtime, history, project } = context;
  const pending = new Set<string>();
  let wake = () => {};
  const seen = new Map<string, string>();
  // The clock of a file system may be coarser than ours.
  const since = runtime.wall() - 2000;
  let swept = false;
  let leftOut = 0;
  const tell = (changed: string) => {
    if (id !== undefined && changed !== id) return;
    pending.add(changed);
    wake();
  };
  const look = (name: string | null) => {
    const part = name === null ? null : partOf(name);
    if (part && part.part !== "rest") tell(part.id);
    if (name === null) sweepQuietly();
  };

  /** Compares every loop with what it was at the last sweep; before the first one, with when we began to listen. */
  async function sweep(): Promise<void> {
    const names = id === undefined ? await disk.listLarge(project.loops) : [`${id}.json`];
    const found = new Set(names.flatMap((name) => partOf(name)?.id ?? []));
    leftOut = Math.floor(found.size / LOOPS_PER_LOOK);
    for (const one of new Set([...seen.keys(), ...found])) {
      const now = stateOf(one);
      if (swept ? seen.get(one) !== now : isNew(one)) tell(one);
      seen.set(one, now);
    }
    swept = true;
  }

  /** What cannot be looked at now is looked at later; until then anything may have changed. */
  function sweepQuietly(): void {
    sweep().catch(() => {
      for (const one of id === undefined ? seen.keys() : [id]) tell(one);
    });
  }

  function lookAround(): void {
    if (leftOut > 0) leftOut -= 1;
    else sweepQuietly();
  }

  function isNew(one: string): boolean {
    const { document, tasks } = loopPaths(project.loops, one);
    return [document, tasks].some((path) => (disk.info(path)?.modified ?? 0) >= since);
  }

  function stateOf(one: string): string {
    const paths = loopPaths(project.loops, one);
    const newest = id === undefined ? 0 : history.revisions(paths).at(-1);
    return `${identityOf(disk, paths.document)} ${identityOf(disk, paths.tasks)} ${newest}`;
  }

  if (signal.aborted) return (async function* () {})();
  if (id !== undefined) seen.set(id, stateOf(id));
  const unsubscribe = folderWatch.subscribe(look, true);
  const timer = id === undefined ? undefined : runtime.every(LOOK_EVERY_MS, lookAround);
  const stop = () => {
    timer?.cancel();
    unsubscribe();
    wake();
  };
  signal.addEventListener("abort", stop, { once: true });
  return (async function* () {
    try {
      while (!signal.aborted) {
        // One commit changes several files, and the system tells of each: one look is enough for all of them.
        await runtime.yieldToEventLoop();
        const ids = [...pending];
        pending.clear();
        yield* ids;
        if (pending.size > 0 || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  })();
}

const FOLDER_LOOK_MS = 400;

export type FolderWatch = ReturnType<typeof folderWatch>;

/**
 * Tells of changed names in a folder, by the operating system and by looking now and then. Watches while somebody subscribes, also a folder that is made, removed or replaced later. The system tells
 * at once; where it cannot, or stays silent although the folder was changed, the look every 400 ms tells.
 */
export function folderWatch(disk: Disk, folder: string, runtime: Runtime = nodeRuntime) {
  const subscribers = new Set<(name: string | null) => void>();
  let keeping = 0;
  let watcher: (() => void) | null = null;
  let watched: string | null = null;
  let modified = 0;
  let heard = false;
  let timer: Timer | undefined;

  function tell(name: string | null): void {
    heard = true;
    for (const changed of subscribers) changed(name);
  }

  function look(): void {
    const info = infoOrNull();
    const inode = info?.instance.split("-")[0] ?? null;
    if (inode !== watched) {
      watcher?.();
      watcher = inode === null ? null : start();
      watched = inode;
      tell(null);
    } else if (!watcher || (!heard && info?.modified !== modified)) {
      tell(null);
    }
    heard = false;
    modified = info?.modified ?? 0;
  }

  /** A folder that cannot be looked at now is one that may have changed. */
  function infoOrNull(): FileInfo | null {
    try {
      return disk.info(folder);
    } catch {
      return null;
    }
  }

  function start(): (() => void) | null {
    try {
      const end = runtime.notices(folder, tell, () => {
        if (watcher === end) watcher = null;
      });
      return end;
    } catch {
      return null;
    }
  }

  return {
    /** `changed` gets the name, or null when any name may have changed. Returns what ends it. */
    subscribe(changed: (name: string | null) => void, keepsProcess: boolean): () => void {
      if (subscribers.size === 0) {
        look();
        timer = runtime.every(FOLDER_LOOK_MS, look);
      }
      subscribers.add(changed);
      if (keepsProcess) keeping += 1;
      timer?.keepProcess(keeping > 0);
      return () => {
        if (!subscribers.delete(changed)) return;
        if (keepsProcess) keeping -= 1;
        if (keeping === 0) timer?.keepProcess(false);
        if (subscribers.size === 0) this.close();
      };
    },
    /** Resolves when everything that happened to the folder before this call was told. */
    async caughtUp(): Promise<void> {
      // The kernel queues its notices as the change is made; the second turn of the loop has read them.
      await runtime.yieldToEventLoop();
      await runtime.yieldToEventLoop();
      const info = infoOrNull();
      if (!watcher || (info?.instance.split("-")[0] ?? null) !== watched) look();
    },
    close(): void {
      timer?.cancel();
      watcher?.();
      watcher = null;
      watched = null;
      subscribers.clear();
      keeping = 0;
    },
  };
}
