import { basename, dirname } from "node:path";
import { jsonOf, linesOf } from "../commits/lines.ts";
import type { Disk, FileInfo } from "../disk/disk.ts";
import { misplaced } from "../disk/errors.ts";
import type { Machine } from "../machine.ts";
import { rotated } from "./agent-log.ts";

const LOOK_EVERY_MS = 40;

/**
 * The records of a log and of the one that was rotated away before it. With `follow` it goes on until that
 * aborts, over rotation and truncation; a line that is no JSON is left out.
 */
export async function* followLog(
  { disk, machine }: { disk: Disk; machine: Machine },
  path: string,
  follow?: AbortSignal,
): AsyncIterable<unknown> {
  for (const one of [path, rotated(path)]) {
    const kind = disk.info(one)?.kind ?? "file";
    if (kind !== "file") throw misplaced(basename(dirname(one), ".progress"), one);
  }
  let file = inodeOf(disk, path);
  let position = 0;
  yield* recordsFrom(rotated(path));
  position = 0;
  for (;;) {
    const info = disk.info(path);
    const now = info && inode(info);
    if (now !== file) {
      // It was rotated: what was written before that is in the old file.
      if (inodeOf(disk, rotated(path)) === file) yield* recordsFrom(rotated(path));
      file = now;
      position = 0;
    }
    const size = info?.size ?? 0;
    if (size < position) position = 0;
    if (size > position) yield* recordsFrom(path);
    if (!follow || follow.aborted) return;
    await machine.sleep(LOOK_EVERY_MS, follow);
    if (follow.aborted) return;
  }

  async function* recordsFrom(from: string): AsyncIterable<unknown> {
    for await (const { text, end } of linesOf(disk.chunks(from, position), position)) {
      position = end;
      yield* recordIn(text);
    }
  }
}

function recordIn(text: string): unknown[] {
  const record = jsonOf(text);
  return record === undefined ? [] : [record];
}

function inodeOf(disk: Disk, path: string): string | null {
  const info = disk.info(path);
  return info && inode(info);
}

function inode({ instance }: FileInfo): string {
  return instance.split("-")[0] ?? "";
}
