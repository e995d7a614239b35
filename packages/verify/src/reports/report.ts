import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { type Collected, collector } from "./collector.ts";
import { type FormatName, formatOf, parserOf } from "./formats.ts";

/** All files of a report together; reading more would take longer than anybody waits. */
const BYTES_READ = 1024 ** 3;

/** One run's report, read. */
export interface Report extends Collected {
  format: string;
  /** Why it cannot be trusted as a whole, without a full stop; null when it is complete. */
  damage: string | null;
}

export interface ReadOptions {
  cwd: string;
  signal: AbortSignal;
}

/** Reads report files as one report. */
export async function readReports(
  files: readonly string[],
  format: FormatName | ((file: string) => FormatName),
  { cwd, signal }: ReadOptions,
): Promise<Report> {
  const into = collector();
  const formatOf = typeof format === "string" ? () => format : format;
  let damage: string | null = null;
  let left = BYTES_READ;
  for (const file of files) {
    left -= (await stat(file)).size;
    if (left < 0) {
      damage ??= "it is larger than 1 GB";
      break;
    }
    const parser = parserOf(formatOf(file), cwd)(into);
    for await (const chunk of createReadStream(file, { signal })) parser.write(chunk as Buffer);
    damage ??= parser.end();
  }
  const formats = [...new Set(files.map(formatOf))].join(", ");
  return { format: formats, damage, ...into.collected() };
}

/** Reads a report whose format only its content tells. Null when there is none. */
export async function readUnknownReport(
  file: string,
  options: ReadOptions,
): Promise<Report | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  const damaged = (damage: string): Report => ({
    format: "unknown",
    damage,
    ...collector().collected(),
  });
  // Opening a pipe would wait for somebody who writes.
  if (!found.isFile()) return damaged("it is no file");
  const head = await firstBytes(file);
  if (head.length === 0) return damaged("it is empty");
  const format = formatOf(head);
  return format
    ? readReports([file], format, options)
    : damaged("its format is none that can be read");
}

async function firstBytes(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(512) });
  return buffer.subarray(0, bytesRead);
}
