import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type Collected, collector } from "./collector.ts";
import { type FormatName, formatOf, parserOf } from "./formats.ts";

/** One run's report, read. */
export interface Report extends Collected {
  format: string;
  /** Why it cannot be trusted as a whole, without a full stop; null when it is complete. */
  damage: string | null;
}

/** Reads report files of one format as one report. */
export async function readReports(
  files: readonly string[],
  format: FormatName,
  cwd: string,
): Promise<Report> {
  const into = collector();
  const create = parserOf(format, cwd);
  let damage: string | null = null;
  for (const file of files) {
    const parser = create(into);
    for await (const chunk of createReadStream(file)) parser.write(chunk as Buffer);
    damage ??= parser.end();
  }
  return { format, damage, ...into.collected() };
}

/** Reads a report whose format only its content tells. Null when the file is missing. */
export async function readUnknownReport(file: string, cwd: string): Promise<Report | null> {
  const head = await firstBytes(file);
  if (head === null) return null;
  const format = formatOf(head);
  if (format) return readReports([file], format, cwd);
  const damage = head.length === 0 ? "it is empty" : "its format is none that can be read";
  return { format: "unknown", damage, ...collector().collected() };
}

async function firstBytes(file: string): Promise<Buffer | null> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(512) });
    return buffer.subarray(0, bytesRead);
  } catch {
    return null;
  }
}
