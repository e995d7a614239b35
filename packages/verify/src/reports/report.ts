import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { encodingOf } from "../readers.ts";
import { type Collected, collector, type ParserFactory } from "./collector.ts";
import { eventLinesParser } from "./event-lines.ts";
import { goJsonParser } from "./go-json.ts";
import { jestJsonParser, rspecJsonParser } from "./json-reports.ts";
import { junitParser } from "./junit.ts";
import { libtestParser } from "./libtest.ts";
import { tapParser } from "./tap.ts";
import { trxParser } from "./trx.ts";

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

/** The report formats that can be read; the names are those of `Verification.report`. */
export type FormatName =
  | "junit"
  | "tap"
  | "jest-json"
  | "go-json"
  | "event-lines"
  | "libtest"
  | "rspec-json"
  | "trx";

/** A parser for the format; `cwd` is what file names in the report are made relative to. */
export function parserOf(format: FormatName, cwd: string): ParserFactory {
  const inside = (file: string) => shortName(cwd, file);
  switch (format) {
    case "junit":
      return junitParser;
    case "tap":
      return tapParser;
    case "go-json":
      return goJsonParser;
    case "libtest":
      return libtestParser;
    case "rspec-json":
      return rspecJsonParser;
    case "trx":
      return trxParser;
    case "jest-json":
      return (collector) => jestJsonParser(collector, inside);
    case "event-lines":
      return (collector) => eventLinesParser(collector, inside);
  }
}

/** The format of a report by its first bytes; undefined when it is none of ours. */
export function formatOf(head: Buffer): FormatName | undefined {
  const start = head.subarray(0, 512);
  const wide = encodingOf(start).startsWith("utf-16");
  const text = new TextDecoder(wide ? encodingOf(start) : "utf-8").decode(start).trimStart();
  if (text.startsWith("<")) return /<TestRun[\s>]/.test(text) ? "trx" : "junit";
  if (/^\{\s*"num[A-Z]\w*"/.test(text)) return "jest-json";
  if (/^\{\s*"version":\s*"[^"]*",\s*"(seed|messages|examples)"/.test(text)) return "rspec-json";
  if (/^\{"(Time|Action|ImportPath)":/.test(text)) return "go-json";
  if (/^(TAP version 1[2-4]\b|1\.\.\d+(\s|$)|(not )?ok \d+\b)/.test(text)) return "tap";
  return undefined;
}

/** Relative to `cwd` with `/`; names outside it stay as they are. */
function shortName(cwd: string, file: string): string {
  if (!isAbsolute(file)) return file;
  const inside = relative(cwd, file);
  return inside === "" || inside.startsWith("..") ? file : inside.split(sep).join("/");
}
