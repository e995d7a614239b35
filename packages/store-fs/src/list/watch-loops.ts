import { type Context, identityOf } from "../context.ts";
import { loopPaths, partOf } from "../paths.ts";
import type { FolderWatch } from "./folder-watch.ts";

const LOOK_EVERY_MS = 400;

/** The ids of loops that may have changed, from this call on until `signal` aborts; with `id` only that one. */
export function watchLoops(
  context: Context,
  folderWatch: FolderWatch,
  id: string | undefined,
  signal: AbortSignal,
): AsyncIterable<string> {
  const { disk, history, project } = context;
  const pending = new Set<string>();
  let wake = () => {};
  const seen = new Map<string, string>();
  const tell = (changed: string) => {
    if (id !== undefined && changed !== id) return;
    pending.add(changed);
    wake();
  };
  const look = (name: string | null) => {
    const part = name === null ? null : partOf(name);
    if (part) tell(part.id);
    if (name === null) void sweep();
  };

  /** Compares every loop with what it was at the last sweep; before the first one all are new. */
  async function sweep(): Promise<void> {
    const names = id === undefined ? await disk.listLarge(project.loops) : [`${id}.json`];
    const found = new Set(names.flatMap((name) => partOf(name)?.id ?? []));
    for (const one of new Set([...seen.keys(), ...found])) {
      const now = stateOf(one);
      if (seen.get(one) !== now) tell(one);
      seen.set(one, now);
    }
  }

  function stateOf(one: string): string {
    const paths = loopPaths(project.loops, one);
    const newest = id === undefined ? 0 : history.revisions(paths).at(-1);
    return `${identityOf(disk, paths.document)} ${identityOf(disk, paths.tasks)} ${newest}`;
  }

  if (signal.aborted) return (async function* () {})();
  if (id !== undefined) seen.set(id, stateOf(id));
  const unsubscribe = folderWatch.subscribe(look, true);
  const timer = id === undefined ? undefined : setInterval(() => void sweep(), LOOK_EVERY_MS);
  const stop = () => {
    clearInterval(timer);
    unsubscribe();
    wake();
  };
  signal.addEventListener("abort", stop, { once: true });
  return (async function* () {
    try {
      while (!signal.aborted) {
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
