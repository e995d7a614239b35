import { basename, join } from "node:path";
import { PROGRESS_FILES } from "@ccw-loop/core";
import { historyOn } from "../commits/history.ts";
import type { Context } from "../context.ts";
import type { Disk } from "../disk/disk.ts";
import { rotated } from "../logs/agent-log.ts";
import type { LoopPaths } from "../paths.ts";

/** The paths of a loop where something else stands: a link, a folder for a file, a file for a folder. */
export function misplacedIn({ disk }: Context, paths: LoopPaths): string[] {
  const { document, journal, tasks, history, progress } = paths;
  const isOther = (path: string, kind: "file" | "folder") => {
    const info = disk.info(path);
    return info !== null && info.kind !== kind;
  };
  const wrong = [
    ...[document, journal, tasks].filter((path) => isOther(path, "file")),
    ...[history, progress].filter((path) => isOther(path, "folder")),
  ];
  if (wrong.includes(progress)) return wrong;
  const names = [...PROGRESS_FILES, "agent.log", rotated("agent.log")];
  const inside = names.map((name) => join(progress, name));
  return [...wrong, ...inside.filter((path) => isOther(path, "file"))];
}

/** The same as if nothing stood there. */
export function without(context: Context, paths: readonly string[]): Context {
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
  return { ...context, disk: seen, history: historyOn(seen, context.machine) };
}

/** Renames each of them; answers with what they are called now. Links are not followed. */
export function moveAside({ disk }: Context, paths: readonly string[]): string[] {
  return paths.map((path) => {
    let n = 0;
    while (disk.info(`${path}.damaged-${n}`)) n += 1;
    disk.rename(path, `${path}.damaged-${n}`);
    return basename(`${path}.damaged-${n}`);
  });
}

async function* nothing(): AsyncIterable<Buffer> {}
