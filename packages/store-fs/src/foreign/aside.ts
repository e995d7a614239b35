import type { OpenLoop, StoreContext } from "../context.ts";
import type { Disk } from "../disk/disk.ts";
import { codeOf } from "../disk/node-errors.ts";

/** All bytes of a file; none when there is no file. */
export function bytesOf(disk: Disk, path: string): Buffer {
  return disk.readBytes(path, 0, disk.info(path)?.size ?? 0);
}

/**
 * Keeps bytes beside a file of the loop as `{file}.{why}-{revision}`, with a further number when that name
 * holds something else. Answers with the path.
 */
export function backUp(
  { disk }: StoreContext,
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
      if (codeOf(error) !== "EEXIST") throw error;
      const size = disk.info(path)?.size ?? 0;
      if (disk.readBytes(path, 0, size).equals(bytes)) return path;
    }
  }
}
