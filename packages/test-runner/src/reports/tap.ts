import { Parser, type Result } from "tap-parser";
import { z } from "zod";
import { lineCutter } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

const VERSION = /^TAP version 1[2-4]\b/;
const PLAN = /^1\.\.\d+(\s|$)/;
/** What can be TAP, at any indentation; other output never reaches the parser, which would queue it. */
const TAP_LINE = /^\s*(TAP version |1\.\.\d|ok\b|not ok\b|Bail out!|# Subtest|pragma [+-]|\}\s*$)/;
const BLOCK_START = /^\s+---$/;
const BLOCK_END = /^\s+\.\.\.$/;
const BLOCK_KEPT = 64 * 1024;
/** After so many points the parser's lists are emptied; only its counters are needed. */
const POINTS_HELD = 1000;

const Diagnostics = z.object({
  message: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  stack: z.string().optional().catch(undefined),
});

/** TAP 12 to 14 with subtests and YAML blocks; several documents one after the other add up. */
export function tapParser(collector: Collector): ReportParser {
  let document = tapDocument(collector);
  let seen = false;
  let problem: string | null = null;
  const finish = () => {
    problem ??= document.end();
    document = tapDocument(collector);
  };
  const lines = lineCutter((bytes) => {
    const line = bytes.toString();
    const version = VERSION.test(line);
    if ((version && document.begun()) || (PLAN.test(line) && document.planned())) finish();
    if (version || PLAN.test(line)) seen = true;
    document.line(line);
  });
  return {
    write: (chunk) => lines.write(chunk),
    end() {
      lines.end();
      finish();
      return seen ? problem : "it has neither a TAP version nor a plan";
    },
    /** Whether a version or a plan was read: a lone "ok 1" in some output is no TAP. */
    seen: () => seen,
  };
}

function tapDocument(collector: Collector) {
  const parser = new Parser();
  let begun = false;
  let block: number | null = null;
  let failed = 0;
  let points = 0;
  let version = false;

  parser.on("result", (result: Result) => {
    const { skip, todo, ok, name, diag, time } = result;
    const status = skip || todo ? "skipped" : ok ? "passed" : "failed";
    if (status === "failed") failed += 1;
    const told = Diagnostics.catch({}).parse(diag ?? {});
    collector.add({
      suite: result.fullname.slice(0, -name.length).replace(/ > $/, ""),
      name: name || `test ${result.id}`,
      status,
      durationMs: time ?? undefined,
      message: told.message ?? told.error,
      stack: told.stack ?? (told.message === undefined ? undefined : told.error),
    });
    points += 1;
    if (points % POINTS_HELD === 0) forget(parser);
  });

  const feed = (line: string) => parser.write(`${line}\n`);
  return {
    begun: () => begun,
    planned: () => parser.planStart !== -1,
    line(line: string): void {
      if (block !== null) {
        block += line.length;
        const ends = BLOCK_END.test(line);
        if (ends || block < BLOCK_KEPT) feed(line);
        if (ends) block = null;
        return;
      }
      const starts = BLOCK_START.test(line);
      if (!starts && !TAP_LINE.test(line)) return;
      if (starts) block = 0;
      version ||= VERSION.test(line);
      begun = true;
      feed(line);
    },
    /** Null when the document is whole, or was empty. */
    end(): string | null {
      const planned = parser.planStart !== -1;
      if (begun) parser.end();
      if (!begun) return null;
      if (parser.bailedOut) return `it bailed out${words(parser.bailedOut)}`;
      if (!planned) return version || points > 0 ? "its plan is missing, so it is cut off" : null;
      const promised = parser.planEnd - parser.planStart + 1;
      if (parser.count !== promised) {
        return `its plan promises ${promised} tests, but it has ${parser.count}`;
      }
      if (!parser.ok && failed === 0)
        collector.addUnnamedFailure("its points contradict each other");
      return null;
    },
  };
}

function forget(parser: Parser): void {
  parser.pointsSeen.clear();
  parser.comments.length = 0;
  parser.failures.length = 0;
  parser.skips.length = 0;
  parser.todos.length = 0;
}

function words(bailout: string | boolean): string {
  return typeof bailout === "string" ? `: ${bailout.slice(0, 200)}` : "";
}
