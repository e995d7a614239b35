import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestProgress } from "@ccw-loop/core";
import { type Collected, collector, type ReportParser } from "./reports/collector.ts";
import { parserOf } from "./reports/report.ts";

/** How often somebody is told, in milliseconds. */
const EVERY_MS = 10_000;
const CHUNK = 64 * 1024;
/** Of one file at one time: a faster run is told of later. */
const CHUNKS = 256;

/** How far a run is: by what the runner prints, or by the lines that our reporters have written so far. */
export interface Progress {
  command: string;
  cwd: string;
  /** Holds the lines of reporters. */
  reports: string;
  printed: () => Collected;
}

interface Reading {
  parser: ReportParser;
  at: number;
}

/** Tells now and then how far a run of tests is, until it is stopped. Never throws: it is no part of the verdict. */
export function reportProgress(
  { command, cwd, reports, printed }: Progress,
  tell: (progress: TestProgress) => void,
  everyMs = EVERY_MS,
): { stop: () => void } {
  const began = performance.now();
  const into = collector();
  const files = new Map<string, Reading>();
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      await readMore(reports, files, () => parserOf("event-lines", cwd)(into));
      const lines = into.collected();
      const { counts, running } =
        lines.counts.total > 0 || lines.running.length > 0 ? lines : printed();
      const elapsed_ms = Math.round(performance.now() - began);
      tell({
        command,
        done: counts.total,
        failed: counts.failed,
        running: running.slice(0, 3),
        elapsed_ms,
      });
    } catch {
      // Told next time, or never.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

async function readMore(
  folder: string,
  files: Map<string, Reading>,
  parser: () => ReportParser,
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".ndjson")) continue;
    const reading = files.get(name) ?? { parser: parser(), at: 0 };
    files.set(name, reading);
    await using handle = await open(join(folder, name));
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, reading.at);
      if (bytesRead === 0) break;
      reading.at += bytesRead;
      reading.parser.write(buffer.subarray(0, bytesRead));
    }
  }
}
