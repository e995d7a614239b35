import { basename, dirname } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { MOST_BYTES } from "@ccw-loop/processes/plain-file";
import type { Disk, FileInfo } from "./fs/disk.ts";
import { misplaced } from "./fs/errors.ts";
import { linesOf } from "./journal/lines.ts";
import type { Runtime, Timer } from "./runtime.ts";

const FLUSH_MS = 50;
const ROTATE_BYTES = 16 * 1024 * 1024;
/** A writer that is this far ahead of the disk waits for it. */
const BACKLOG_CHARS = 4 * 1024 * 1024;

/** Appends records to NDJSON logs, a few at a time. */
export interface LogWriter {
  append(path: string, records: readonly unknown[]): Promise<void>;
  /** Writes what was accepted for this log. */
  flush(path: string): Promise<void>;
  /** Writes what was accepted for this log (every log without one) and forgets it. */
  close(path?: string): Promise<void>;
}

interface Log {
  lines: string[];
  chars: number;
  timer: Timer | undefined;
  writing: Promise<void>;
  /** Known after the first look at the file. */
  size: number | null;
}

/**
 * `prepare` makes the folder of a log; `failed` is told when records could not be written: they are lost, as
 * a log is no part of the state.
 */
export function logWriter(
  { disk, machine }: { disk: Disk; machine: Runtime },
  prepare: (path: string) => void,
  failed: (path: string, error: unknown) => void,
): LogWriter {
  const logs = new Map<string, Log>();

  function flush(path: string, log: Log): Promise<void> {
    log.timer?.cancel();
    log.timer = undefined;
    const work = log.writing.then(() => write(path, log));
    log.writing = work.catch((error: unknown) => failed(path, error));
    return log.writing;
  }

  async function write(path: string, log: Log): Promise<void> {
    const text = log.lines.join("");
    if (text === "") return;
    log.lines = [];
    log.chars = 0;
    if (log.size === null) {
      prepare(path);
      if (!startOfLine(disk, path)) await disk.append(path, "\n");
      log.size = disk.info(path)?.size ?? 0;
    }
    if (log.size > ROTATE_BYTES) {
      disk.rename(path, rotated(path));
      log.size = 0;
    }
    await disk.append(path, text);
    log.size += Buffer.byteLength(text);
  }

  return {
    async append(path, records) {
      const log = logs.get(path) ?? {
        lines: [],
        chars: 0,
        timer: undefined,
        writing: Promise.resolve(),
        size: null,
      };
      logs.set(path, log);
      for (const record of records) {
        const line = `${JSON.stringify(record) ?? "null"}\n`;
        log.lines.push(line);
        log.chars += line.length;
      }
      if (log.chars > BACKLOG_CHARS) await flush(path, log);
      else log.timer ??= machine.after(FLUSH_MS, () => void flush(path, log));
    },
    async flush(path) {
      const log = logs.get(path);
      if (log) await flush(path, log);
    },
    async close(path) {
      const chosen = [...logs].filter(([name]) => path === undefined || name === path);
      for (const [name] of chosen) logs.delete(name);
      await Promise.all(chosen.map(([name, log]) => flush(name, log)));
    },
  };
}

/** What a log is called when a new one begins. */
export function rotated(path: string): string {
  return `${path}.1`;
}

/** False when a crash cut the last line off: then the next one would become part of it. */
function startOfLine(disk: Disk, path: string): boolean {
  const size = disk.info(path)?.size ?? 0;
  return size === 0 || disk.readBytes(path, size - 1, 1)[0] === 10;
}

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
