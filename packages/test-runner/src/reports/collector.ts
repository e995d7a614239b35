import { stripVTControlCharacters } from "node:util";
import type { TestCounts, TestResult } from "@ccw-loop/core";

/** How many failed tests, and how many others, are kept with their names; all are counted. */
export const FAILED_KEPT = 1000;
/** Far more than anybody has: which of a larger run are kept depends on how many failed, and then two runs cannot be compared. */
export const OTHERS_KEPT = 50_000;
/** Characters of one message or stack; and what is left to each once `TEXT_BUDGET` is used up. */
const TEXT_EACH = 8 * 1024;
const TEXT_LEAN = 256;
/** Characters of all messages and stacks of a run together. */
const TEXT_BUDGET = 2 * 1024 * 1024;

/** A test as a report names it. `message` and `stack` only say something about failures. */
interface SeenTest {
  suite: string;
  name: string;
  status: TestResult["status"];
  durationMs?: number | undefined;
  message?: string | undefined;
  stack?: string | undefined;
}

/** Tests that were begun and have no result, as far as they are kept. */
const BEGUN_KEPT = 1000;

/** What all reports of one run add up to. */
export interface Collected {
  /** Tests that were begun and have no result yet, with their suites. */
  running: string[];
  counts: TestCounts;
  tests: TestResult[];
  /** A report says that something failed, but names no test for it. */
  unnamedFailure: string | null;
}

export type Collector = ReturnType<typeof collector>;

/** Adds tests up in bounded memory: exact counts, and the tests themselves up to a bound. */
export function collector() {
  const counts: TestCounts = { total: 0, passed: 0, failed: 0, skipped: 0 };
  const failed: TestResult[] = [];
  const others: TestResult[] = [];
  const running = new Set<string>();
  let text = 0;
  let unnamedFailure: string | null = null;

  const cut = (value: string | undefined): string | null => {
    if (value === undefined || value.trim() === "") return null;
    const kept = shorten(value, text > TEXT_BUDGET ? TEXT_LEAN : TEXT_EACH);
    text += kept.length;
    return kept;
  };

  const count = (status: TestResult["status"]) => {
    counts.total += 1;
    counts[status] += 1;
  };

  return {
    /** Counts a test that would come after those which are kept. */
    count,
    /** A test begins. Runners that do not tell have none running. */
    begin(test: Pick<SeenTest, "suite" | "name">): void {
      if (running.size < BEGUN_KEPT) running.add(titleOf(test));
    },
    add(test: SeenTest): void {
      running.delete(titleOf(test));
      count(test.status);
      const failure = test.status === "failed";
      const kept = failure ? failed : others;
      if (kept.length >= (failure ? FAILED_KEPT : OTHERS_KEPT)) return;
      kept.push({
        test_name: shorten(test.name, 1024),
        suite: shorten(test.suite, 1024),
        status: test.status,
        duration_ms: Number.isFinite(test.durationMs) ? (test.durationMs ?? 0) : 0,
        error_message: failure ? cut(test.message) : null,
        stack_trace: failure ? cut(test.stack) : null,
      });
    },
    /** A failure that belongs to no test, in words. */
    addUnnamedFailure(words: string): void {
      unnamedFailure ??= shorten(words, TEXT_LEAN);
    },
    collected: (): Collected => ({
      ...{ counts, unnamedFailure, running: runningOf(running) },
      tests: [...failed, ...others],
    }),
  };
}

/** A file that runs says nothing beside a test of it that does. */
function runningOf(titles: ReadonlySet<string>): string[] {
  const isFile = / > \(file\)$/;
  const suites = new Set(
    [...titles].filter((one) => !isFile.test(one)).map((one) => one.split(" > ")[0]),
  );
  return [...titles].filter((one) => !isFile.test(one) || !suites.has(one.replace(isFile, "")));
}

function titleOf({ suite, name }: Pick<SeenTest, "suite" | "name">): string {
  return shorten(suite === "" ? name : `${suite} > ${name}`, 500);
}

/** What no terminal and no JSON reader should meet; tabs and line ends stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/**
 * The text without terminal control sequences and control characters, or its beginning and a word about what was
 * left out. Keeps no reference to a larger string.
 */
function shorten(text: string, max: number): string {
  const clean = stripVTControlCharacters(text.slice(0, max)).replaceAll(CONTROL, "");
  const head = Buffer.from(clean).toString();
  return text.length <= max ? head : `${head}… (${text.length - max} more characters)`;
}

/** Reads one report, chunk by chunk, into a collector; memory does not grow with the report. */
export interface ReportParser {
  write(chunk: Buffer): void;
  /** Ends the report. Null when it was complete, else one sentence without a full stop: what is wrong. */
  end(): string | null;
  /** Of one that finds its report between other output: whether anything of it was there. */
  seen?(): boolean;
  /** Of one whose report has an end: whether that was read. */
  isOver?(): boolean;
}

export type ParserFactory = (collector: Collector) => ReportParser;
