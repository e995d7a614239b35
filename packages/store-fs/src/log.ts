import { basename, dirname } from "node:path";
import { type LogRecord, type ReadLogOptions, tryParseJson } from "@ccw-loop/core";
import { MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import type { Disk, FileInfo } from "./fs/disk.ts";
import { misplaced } from "./fs/errors.ts";
import { linesOf } from "./journal/lines.ts";
import type { Runtime, Timer } from "./runtime.ts";

const FLUSH_MS = 50;
const ROTATE_BYTES = 16 * 1024 * 1024;
/** A writer that is this far ahead of the disk waits for it. */
const BACKLOG_CHARS = 4 * 1024 * 1024;

interface Log {
  lines: string[];
  chars: number;
  timer: Timer | undefined;
  writing: Promise<void>;
  /** There is a folder for the file, and what it has ends a line. */
  isReady: boolean;
}

/**
 * Appends records to NDJSON logs, a few at a time. `prepare` makes the folder of a log; `failed` is told when records could not be written: they are lost, as
 * a log is no part of the state.
 */
export function logWriter(
  { disk, runtime }: { disk: Disk; runtime: Runtime },
  prepare: (path: string) => void,
  failed: (path: string, error: unknown) => void,
) {
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
    if (!log.isReady) {
      prepare(path);
      // A crash may have cut the last line off: the next one would become part of it.
      if (!endsLine(disk, path, sizeOf(disk, path))) await disk.append(path, "\n");
      log.isReady = true;
    }
    if (sizeOf(disk, path) > ROTATE_BYTES) disk.rename(path, rotated(path));
    await disk.append(path, beginningOf(disk, path) + text);
  }

  return {
    async append(path: string, records: readonly unknown[]): Promise<void> {
      const log = logs.get(path) ?? {
        lines: [],
        chars: 0,
        timer: undefined,
        writing: Promise.resolve(),
        isReady: false,
      };
      logs.set(path, log);
      for (const record of records) {
        const line = `${JSON.stringify(record) ?? "null"}\n`;
        log.lines.push(line);
        log.chars += line.length;
      }
      if (log.chars > BACKLOG_CHARS) await flush(path, log);
      else log.timer ??= runtime.after(FLUSH_MS, () => void flush(path, log));
    },
    /** Writes what was accepted for this log. */
    async flush(path: string): Promise<void> {
      const log = logs.get(path);
      if (log) await flush(path, log);
    },
    /** Writes what was accepted for this log (every log without one) and forgets it. */
    async close(path?: string): Promise<void> {
      const chosen = [...logs].filter(([name]) => path === undefined || name === path);
      for (const [name] of chosen) logs.delete(name);
      await Promise.all(chosen.map(([name, log]) => flush(name, log)));
    },
  };
}

/** What a file of a log is called when a new one begins. */
export function rotated(path: string): string {
  return `${path}.1`;
}

const CONTINUED = '{"bytes_before":';
const CONTINUED_LINE = /^\{"bytes_before":(\d{1,14})\}$/m;
/** When two writers begin a file, other lines may come before that one. */
const HEAD_BYTES = 4096;
/** Places for what another writer still appends to a file that was rotated away. */
const LATE_BYTES = ROTATE_BYTES;

/** How far the log had come where this file begins: a record's place in the log is that and its place in the file. */
function bytesBefore(disk: Disk, path: string): number {
  const head = disk.readBytes(path, 0, HEAD_BYTES).toString("latin1");
  const before = CONTINUED_LINE.exec(head)?.[1];
  if (before !== undefined) return Number(before);
  const older = rotated(path);
  const isThere = disk.info(older)?.kind === "file";
  return isThere ? bytesBefore(disk, older) + sizeOf(disk, older) + LATE_BYTES : 0;
}

/** What comes before the first line of a file, so that the count goes on when the one before it is gone, too. */
function beginningOf(disk: Disk, path: string): string {
  const before = sizeOf(disk, path) === 0 ? bytesBefore(disk, path) : 0;
  return before === 0 ? "" : `${CONTINUED}${before}}\n`;
}

function sizeOf(disk: Disk, path: string): number {
  return disk.info(path)?.size ?? 0;
}

/** Whether a line begins there. */
function endsLine(disk: Disk, path: string, position: number): boolean {
  return position === 0 || disk.readBytes(path, position - 1, 1)[0] === 10;
}

const LOOK_EVERY_MS = 40;

/**
 * The records of a log and of the file that was rotated away before it, each with its place. With `follow` it goes on
 * until that aborts, over rotation and truncation; a line that is no JSON is left out.
 */
export async function* followLog(
  { disk, runtime }: { disk: Disk; runtime: Runtime },
  path: string,
  { after, follow }: ReadLogOptions = {},
): AsyncIterable<LogRecord> {
  const older = rotated(path);
  for (const one of [path, older]) {
    const info = disk.info(one);
    const id = basename(dirname(one), ".progress");
    if (info && info.kind !== "file") throw misplaced(id, one, info);
  }
  let file = inodeOf(disk, path);
  let base = bytesBefore(disk, path);
  let position = 0;
  let gap = false;
  const wanted = after ?? 0;
  if (wanted < base && sizeOf(disk, older) > 0) {
    const next = base;
    base = bytesBefore(disk, older);
    begin(older);
    yield* recordsFrom(older);
    base = next;
    position = beginOf(path);
  } else {
    begin(path);
  }
  for (;;) {
    const info = disk.info(path);
    const now = info && inode(info);
    const size = info?.size ?? 0;
    if (now !== file || size < position) {
      // It was rotated: what was written before that is in the old file.
      if (now !== file && inodeOf(disk, older) === file) yield* recordsFrom(older);
      else gap = file !== null;
      file = now;
      base = bytesBefore(disk, path);
      position = beginOf(path);
    }
    if (size > position) yield* recordsFrom(path);
    if (!follow || follow.aborted) return;
    await runtime.sleep(LOOK_EVERY_MS, follow);
    if (follow.aborted) return;
  }

  /** No log of ours has more bytes: of one that has, only the last are read. */
  function beginOf(one: string): number {
    return Math.max(0, sizeOf(disk, one) - MAX_FILE_BYTES);
  }

  function begin(one: string): void {
    const first = beginOf(one);
    gap = after !== undefined && wanted - base < first;
    position = Math.max(first, Math.min(wanted - base, sizeOf(disk, one)));
  }

  async function* recordsFrom(from: string): AsyncIterable<LogRecord> {
    let isWhole = endsLine(disk, from, position);
    for await (const { text, end } of linesOf(disk.chunks(from, position), position)) {
      position = end;
      const record = isWhole && !text.startsWith(CONTINUED) ? tryParseJson(text) : undefined;
      isWhole = true;
      if (record === undefined) continue;
      yield { seq: base + end, record, ...(gap ? { gap } : {}) };
      gap = false;
    }
  }
}

function inodeOf(disk: Disk, path: string): string | null {
  const info = disk.info(path);
  return info && inode(info);
}

function inode({ instance }: FileInfo): string {
  return instance.split("-")[0] ?? "";
}
