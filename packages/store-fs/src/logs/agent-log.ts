import type { Disk } from "../disk/disk.ts";
import type { Runtime, Timer } from "../machine.ts";

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
