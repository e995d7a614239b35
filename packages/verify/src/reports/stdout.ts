import { LINE_KEPT, lineCutter } from "../readers.ts";
import { type Collected, type Collector, collector, type OutputParser } from "./collector.ts";
import { goJsonParser } from "./go-json.ts";
import { junitParser } from "./junit.ts";
import { libtestParser } from "./libtest.ts";
import { type FormatName, formatOf, parserOf, type Report } from "./report.ts";
import { tapParser } from "./tap.ts";

/** Other lines that begin with `<` are no XML documents. */
const XML_BEGIN = /^<(\?xml\s|testsuites?[\s>])/;
const NEWLINE = Buffer.from("\n");
/** The first bytes of lines that may begin a report: `{`, `T`, `1`, `o`, `n`, `<`. */
const FIRST = new Set(Buffer.from("{T1on<"));
/** Some reports are one line; this much of it is read. */
const LONG_LINE_KEPT = 64 * 1024 * 1024;
const LONG_LINES: ReadonlySet<FormatName | undefined> = new Set([
  "jest-json",
  "rspec-json",
  "junit",
]);

/** Reads a report in what a command prints. */
export interface StdoutReader {
  write(chunk: Buffer): void;
  /** What was read so far. */
  collected(): Collected;
  /** The report, or null when the output held none. */
  end(): Report | null;
}

/** A report that is being read. */
interface Reading {
  format: FormatName;
  parser: OutputParser;
  /** What follows belongs to no report, or to another one. */
  isOver(): boolean;
}

/**
 * Reads the output as a report of `format`, or finds one in it: TAP, JUnit XML, go test's events, or the JSON of
 * jest, vitest and RSpec.
 */
export function stdoutReader(cwd: string, format?: FormatName): StdoutReader {
  const into = collector();
  let reading = format === undefined ? null : readingOf(format, cwd, into);
  let found: { format: FormatName; damage: string | null } | null = null;

  const lines = lineCutter(
    (line) => {
      reading ??= begin(line);
      if (reading === null) return;
      reading.parser.write(line);
      if (reading.isOver()) leave();
      else reading.parser.write(NEWLINE);
    },
    (head) => (LONG_LINES.has(reading?.format ?? formatOf(head)) ? LONG_LINE_KEPT : LINE_KEPT),
  );

  function begin(line: Buffer): Reading | null {
    const known = FIRST.has(line[0] ?? 0) ? formatOf(line) : undefined;
    if (known === "trx" || (known === "junit" && !XML_BEGIN.test(line.toString("latin1", 0, 20)))) {
      return null;
    }
    const another = found !== null && known !== found.format;
    return known === undefined || another ? null : readingOf(known, cwd, into);
  }

  function leave(): void {
    if (reading === null) return;
    const damage = reading.parser.end();
    if (reading.parser.seen()) {
      found = { format: reading.format, damage: found?.damage ?? damage };
    }
    reading = null;
  }

  return {
    write: (chunk) => lines.write(chunk),
    collected: () => into.collected(),
    end() {
      lines.end();
      leave();
      return found && { ...found, ...into.collected() };
    },
  };
}

function readingOf(format: FormatName, cwd: string, into: Collector): Reading {
  const open = () => false;
  switch (format) {
    case "tap":
      return { format, parser: tapParser(into), isOver: open };
    case "go-json":
      return { format, parser: goJsonParser(into), isOver: open };
    case "libtest":
      return { format, parser: libtestParser(into), isOver: open };
    case "junit": {
      const parser = junitParser(into);
      return { format, parser, isOver: parser.isOver };
    }
    default: {
      // One line is the whole report.
      const parser = { ...parserOf(format, cwd)(into), seen: () => true };
      return { format, parser, isOver: () => true };
    }
  }
}
