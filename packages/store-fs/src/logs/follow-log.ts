import { setTimeout as sleep } from "node:timers/promises";
import { jsonOf, linesOf } from "../commits/lines.ts";
import type { Disk } from "../disk/disk.ts";
import { rotated } from "./agent-log.ts";

const LOOK_EVERY_MS = 40;

/**
 * The records of a log and of the one that was rotated away before it. With `follow` it goes on until that
 * aborts, over rotation and truncation; a line that is no JSON is left out.
 */
export async function* followLog(
  disk: Disk,
  path: string,
  follow?: AbortSignal,
): AsyncIterable<unknown> {
  let file = inodeOf(disk, path);
  let position = 0;
  yield* recordsFrom(rotated(path));
  position = 0;
  for (;;) {
    const now = inodeOf(disk, path);
    if (now !== file) {
      // It was rotated: what was written before that is in the old file.
      if (inodeOf(disk, rotated(path)) === file) yield* recordsFrom(rotated(path));
      file = now;
      position = 0;
    }
    const size = disk.info(path)?.size ?? 0;
    if (size < position) position = 0;
    if (size > position) yield* recordsFrom(path);
    if (!follow || follow.aborted) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal: follow }).catch(() => {});
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
  return disk.info(path)?.instance.split("-")[0] ?? null;
}
