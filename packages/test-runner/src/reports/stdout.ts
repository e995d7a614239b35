import { LINE_KEPT, lineCutter } from "../stream-readers.ts";
import { collector, type ReportParser } from "./collector.ts";
import { type FormatName, parserOf, type Report } from "./report.ts";

/** Other lines that begin with `<` are no XML documents. */
const XML_BEGIN = /^<(\?xml\s|testsuites?[\s>])/;
const NEWLINE = Buffer.from("\n");
/** The first bytes of lines that may begin a report: `{`, `T`, `1`, `o`, `n`, `<`. */
const FIRST = new Set(Buffer.from("{T1on<"));
/** Some reports are one line; this much of it is read. */
const LONG_LINE_KEPT = 64 * 1024 * 1024;
const LONG_LINES: ReadonlySet<FormatName | undefined> = new Set(["jest-json", "junit"]);

/** A report that is being read. */
interface Reading {
  format: FormatName;
  parser: ReportParser;
}

/**
 * Reads the output as a report of `format`, or finds one in it: TAP, JUnit XML, go test's events, or the JSON of
 * jest and vitest.
 */
export function stdoutReader(cwd: string, format?: FormatName) {
  const into = collector();
  const readingOf = (known: FormatName): Reading => ({
    format: known,
    parser: parserOf(known, cwd)(into),
  });
  let reading = format === undefined ? null : readingOf(format);
  let found: { format: FormatName; damage: string | null } | null = null;

  const lines = lineCutter(
    (line) => {
      reading ??= begin(line);
      if (reading === null) return;
      reading.parser.write(line);
      // A format that is not found between other output is one line.
      const isOver = reading.parser.isOver?.() ?? reading.parser.seen === undefined;
      if (isOver) leave();
      else reading.parser.write(NEWLINE);
    },
    (head) => (LONG_LINES.has(reading?.format ?? formatOf(head)) ? LONG_LINE_KEPT : LINE_KEPT),
  );

  function begin(line: Buffer): Reading | null {
    const known = FIRST.has(line[0] ?? 0) ? formatOf(line) : undefined;
    if (known === "junit" && !XML_BEGIN.test(line.toString("latin1", 0, 20))) return null;
    const another = found !== null && known !== found.format;
    return known === undefined || another ? null : readingOf(known);
  }

  function leave(): void {
    if (reading === null) return;
    const damage = reading.parser.end();
    if (reading.parser.seen?.() ?? true) {
      found = { format: reading.format, damage: found?.damage ?? damage };
    }
    reading = null;
  }

  return {
    write: (chunk: Buffer): void => lines.write(chunk),
    /** What was read so far. */
    collected: () => into.collected(),
    /** The report, or null when the output held none. */
    end(): Report | null {
      lines.end();
      leave();
      return found && { ...found, ...into.collected() };
    },
  };
}

/** The format of a report by its first bytes; undefined when it is none of those that are printed. */
function formatOf(head: Buffer): FormatName | undefined {
  const text = head.toString("utf8", 0, 512).trimStart();
  if (text.startsWith("<")) return /<TestRun[\s>]/.test(text) ? undefined : "junit";
  if (/^\{\s*"num[A-Z]\w*"/.test(text)) return "jest-json";
  if (/^\{"(Time|Action|ImportPath)":/.test(text)) return "go-json";
  if (/^(TAP version 1[2-4]\b|1\.\.\d+(\s|$)|(not )?ok \d+\b)/.test(text)) return "tap";
  return undefined;
}
