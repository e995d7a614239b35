import { collector } from "./collector.ts";
import { type FormatName, formatOf, parserOf } from "./formats.ts";
import { LINE_KEPT, lineCutter } from "./lines.ts";
import type { ReportParser } from "./parser.ts";
import type { Report } from "./report.ts";
import { tapParser } from "./tap.ts";

const NEWLINE = Buffer.from("\n");
/** The first bytes of lines that may begin a report: `{`, `T`, `1`, `o`, `n`. */
const FIRST = new Set(Buffer.from("{T1on"));
/** jest and vitest print their whole report as one line; this much of it is read. */
const JSON_LINE_KEPT = 64 * 1024 * 1024;

/** Finds a report in what a command prints: TAP, go test's events, or the JSON of jest and vitest. */
export interface StdoutReader {
  write(chunk: Buffer): void;
  /** The report, or null when the output held none. */
  end(): Report | null;
}

export function stdoutReader(cwd: string): StdoutReader {
  const into = collector();
  let parser: ReportParser | null = null;
  let format: FormatName | undefined;
  let isReport = () => true;
  let whole = false;

  const lines = lineCutter(
    (line) => {
      if (parser === null) begin(line);
      if (parser === null || whole) return;
      parser.write(line);
      if (format === "jest-json") whole = true;
      else parser.write(NEWLINE);
    },
    (head) => (formatOf(head) === "jest-json" ? JSON_LINE_KEPT : LINE_KEPT),
  );
  function begin(line: Buffer): void {
    format = FIRST.has(line[0] ?? 0) ? formatOf(line) : undefined;
    if (format === undefined) return;
    if (format === "tap") {
      const tap = tapParser(into);
      isReport = tap.seen;
      parser = tap;
    } else parser = parserOf(format, cwd)(into);
  }

  return {
    write: (chunk) => lines.write(chunk),
    end() {
      lines.end();
      const damage = parser?.end() ?? null;
      if (parser === null || format === undefined || !isReport()) return null;
      return { format, damage, ...into.collected() };
    },
  };
}
