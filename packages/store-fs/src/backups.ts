import { systemCode } from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "./context.ts";
import type { Disk } from "./fs/disk.ts";

/** All bytes of a file; none when there is no file. */
export function bytesOf(disk: Disk, path: string): Buffer {
  return disk.readBytes(path, 0, disk.info(path)?.size ?? 0);
}

/**
 * Keeps bytes beside a file of the loop as `{file}.{why}-{revision}`, with a further number when that name
 * holds something else. Answers with the path.
 */
export function backUp(
  { disk }: Pick<StoreContext, "disk">,
  loop: OpenLoop,
  file: string,
  why: "rejected" | "conflict" | "damaged",
  bytes: Buffer,
): string {
  const revision = loop.head?.stored.commit.revision ?? 0;
  for (let n = 1; ; n++) {
    const path = `${file}.${why}-${revision}${n === 1 ? "" : `-${n}`}`;
    try {
      disk.write(path, bytes);
      return path;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      const size = disk.info(path)?.size ?? 0;
      if (disk.readBytes(path, 0, size).equals(bytes)) return path;
    }
  }
}

/** Renames what stands at a path, whatever it is, so that its place is free; answers with its path now, if there was any. */
export function setAside(disk: Disk, path: string): string[] {
  if (!disk.info(path)) return [];
  const aside = freeName(disk, path);
  disk.rename(path, aside);
  return [aside];
}

/**
 * Gives a file of any size a second name, so that it stays when something else is put in its place; where that cannot
 * be done it is renamed. Answers with that name.
 */
export function linkToBackup(disk: Disk, path: string): string {
  const aside = freeName(disk, path);
  try {
    disk.link(path, aside);
  } catch {
    disk.rename(path, aside);
  }
  return aside;
}

function freeName(disk: Disk, path: string): string {
  let n = 0;
  while (disk.info(`${path}.damaged-${n}`)) n += 1;
  return `${path}.damaged-${n}`;
}
