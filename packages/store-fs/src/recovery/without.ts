import { createHistory } from "../commits/history.ts";
import type { StoreContext } from "../context.ts";
import type { Disk } from "../disk/disk.ts";

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
  return { ...context, disk: seen, history: createHistory(seen, context.machine) };
}

async function* nothing(): AsyncIterable<Buffer> {}
