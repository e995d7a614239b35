import { basename, dirname } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { MOST_BYTES } from "@ccw-loop/processes/plain-file";
import { linesOf } from "../commits/lines.ts";
import type { Disk, FileInfo } from "../disk/disk.ts";
import { misplaced } from "../disk/errors.ts";
import type { Runtime } from "../machine.ts";
import { rotated } from "./agent-log.ts";

const LOOK_EVERY_MS = 40;

/**
 * The records of a log and of the one that was rotated away before it. With `follow` it goes on until that
 * aborts, over rotation and truncation; a line that is no JSON is left out.
 */
export async function* followLog(
  { disk, machine }: { disk: Disk; machine: Runtime },
  path: string,
  follow?: AbortSignal,
): AsyncIterable<unknown> {
  for (const one of [path, rotated(path)]) {
    const info = disk.info(one);
    const id = basename(dirname(one), ".progress");
    if (info && info.kind !== "file") throw misplaced(id, one, info);
  }
  // No log of ours has more bytes: of one that has, only the last are read.
  const beginOf = (one: string) => Math.max(0, (disk.info(one)?.size ?? 0) - MOST_BYTES);
  let file = inodeOf(disk, path);
  let position = beginOf(rotated(path));
  yield* recordsFrom(rotated(path));
  position = beginOf(path);
  for (;;) {
    const info = disk.info(path);
    const now = info && inode(info);
    if (now !== file) {
      // It was rotated: what was written before that is in the old file.
      if (inodeOf(disk, rotated(path)) === file) yield* recordsFrom(rotated(path));
      file = now;
      position = beginOf(path);
    }
    const size = info?.size ?? 0;
    if (size < position) position = beginOf(path);
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
  const record = tryParseJson(text);
  return record === undefined ? [] : [record];
}

function inodeOf(disk: Disk, path: string): string | null {
  const info = disk.info(path);
  return info && inode(info);
}

function inode({ instance }: FileInfo): string {
  return instance.split("-")[0] ?? "";
}
