import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { type Collected, collector, type ParserFactory } from "./collector.ts";
import { eventLinesParser } from "./event-lines.ts";
import { goJsonParser } from "./go-json.ts";
import { jestJsonParser } from "./json-reports.ts";
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

const PARSERS = {
  junit: junitParser,
  tap: tapParser,
  "jest-json": jestJsonParser,
  "go-json": goJsonParser,
  "event-lines": eventLinesParser,
  libtest: libtestParser,
  trx: trxParser,
};

/** The report formats that can be read; the names are those of `Verification.report`. */
export type FormatName = keyof typeof PARSERS;

/** A parser for the format; `cwd` is what file names in the report are made relative to. */
export function parserOf(format: FormatName, cwd: string): ParserFactory {
  return (into) => PARSERS[format](into, (file) => shortName(cwd, file));
}

/** Relative to `cwd` with `/`; names outside it stay as they are. */
function shortName(cwd: string, file: string): string {
  if (!isAbsolute(file)) return file;
  const inside = relative(cwd, file);
  return inside === "" || inside.startsWith("..") ? file : inside.split(sep).join("/");
}
