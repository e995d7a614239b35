import { stripVTControlCharacters } from "node:util";
import type { TestResult } from "@ccw-loop/core";
import { lineCutter } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

/** Cargo's own words: which program it starts, and that one ended badly. */
const TARGET = /^\s+Running (?:(?:unittests|tests?|benches) )?(\S+)(?: \((\S+)\))?$/;
const DOCS = /^\s+Doc-tests (\S+)$/;
const BROKEN = /^error: (?:doc)?test failed, to rerun pass/;
const BEGIN = /^running (\d+) tests?$/;

/**
 * What `cargo test` prints, stdout and stderr together, which stable Rust has no other report for. Strict: every
 * test program announces how many tests it runs, must name each, and must end with counts that fit.
 */
export function libtestParser(collector: Collector): ReportParser {
  const suites = new Map<string, number>();
  let docs = new Map<string, number>();
  let program: ReturnType<typeof rustProgram> | null = null;
  let suite = "";
  /** Cargo has started a program that has not said anything yet: it may have a harness of its own. */
  let silent = false;
  let seen = false;
  let problem: string | null = null;
  const lines = lineCutter((bytes) => take(stripVTControlCharacters(bytes.toString())));

  function take(line: string): void {
    if (program?.take(line)) return;
    const begun = BEGIN.exec(line);
    if (begun) {
      leave();
      seen = true;
      silent = false;
      program = rustProgram({ suite, expected: Number(begun[1]), docs, collector });
    } else if (BROKEN.test(line) && silent) {
      collector.add({ suite, name: "(program)", status: "failed", message: line });
      silent = false;
    } else if (TARGET.test(line) || DOCS.test(line)) {
      leave();
      enter(line);
    } else if (seen && !silent && (FUNCTION.test(line) || FOOT.test(line))) {
      problem ??= "a result in it belongs to no test program";
    }
  }

  function enter(line: string): void {
    const [, path = "", file = path] = TARGET.exec(line) ?? [];
    const crate = DOCS.exec(line)?.[1];
    const name = file.replace(/^.*[/\\]/, "").replace(/-[0-9a-f]{16}(\.exe)?$/, "");
    const found =
      crate === undefined ? `${name} (${path.replaceAll("\\", "/")})` : `${crate} (doc)`;
    // Two packages of a workspace may each have a tests/cli.rs; their order is always the same.
    const number = (suites.get(found) ?? 0) + 1;
    suites.set(found, number);
    suite = number === 1 ? found : `${found} #${number}`;
    docs = new Map();
    silent = true;
  }

  function leave(): void {
    problem ??= program?.end() ?? null;
    program = null;
  }

  return {
    write: (chunk) => lines.write(chunk),
    seen: () => seen,
    end() {
      lines.end();
      leave();
      return problem ?? (seen ? null : "it has no result of a test program");
    },
  };
}

/** Of a function; what a test let another process print may stand in front, without a line end. */
const FUNCTION =
  /(?:^|[^ ])test ([\p{L}\p{N}_:#]+)(?: - should panic)? \.\.\. (ok|FAILED|ignored(?:, .*)?|bench: .*)$/u;
/** Of documentation, or of a harness that names its tests as it likes. */
const OTHER =
  /^test (.+?)(?: - compile fail| - compile)? \.\.\. (ok|FAILED|ignored(?:, .*)?|bench: .*)$/;
const SECTION = /^---- (.+?) std(?:out|err) ----$/;
const FOOT =
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out/;
const DOC_TEST = /^(.+) \(line (\d+)\)$/;

const TEXT_HELD = 8 * 1024;
const TEXT_BUDGET = 4 * 1024 * 1024;
/** Tests that are held to the end: failed ones for their texts, documentation tests for their numbers. */
const HELD = 5000;

interface Held {
  name: string;
  status: TestResult["status"];
  text: string;
}

interface ProgramOptions {
  suite: string;
  /** How many tests it announced. */
  expected: number;
  /** How many documentation tests of an item there were before; goes on counting. */
  docs: Map<string, number>;
  collector: Collector;
}

/** One Rust test program, from the line after `running 3 tests` to its `test result:`. */
function rustProgram({ suite, expected, docs, collector }: ProgramOptions) {
  const counts = { passed: 0, failed: 0, skipped: 0, measured: 0 };
  const held: Held[] = [];
  /** Lines that look like results but may be output: a test that compiles others prints such lines too. */
  let doubtful: [name: string, word: string][] = [];
  let state: "results" | "texts" | "ended" = "results";
  let section: Held | undefined;
  let text = 0;
  let wrong = false;

  function result(name: string, word: string): void {
    if (word.startsWith("bench")) {
      counts.measured += 1;
      return;
    }
    const status = word === "ok" ? "passed" : word === "FAILED" ? "failed" : "skipped";
    counts[status] += 1;
    if (status !== "failed" && !DOC_TEST.test(name)) collector.add({ suite, name, status });
    else if (held.length < HELD) held.push({ name, status, text: "" });
    else collector.count(status);
  }

  function fits([passed, failed, ignored, measured]: number[]): boolean {
    const { passed: green, failed: red, skipped, measured: bench } = counts;
    const same = passed === green && failed === red && ignored === skipped && measured === bench;
    return same && total() === expected;
  }

  function total(): number {
    return counts.passed + counts.failed + counts.skipped + counts.measured;
  }

  /** The results are over; the doubtful lines were results if exactly they were missing. */
  function resolveDoubtful(): void {
    if (total() + doubtful.length === expected) {
      for (const [name, word] of doubtful) result(name, word);
    }
    doubtful = [];
  }

  function addText(line: string): void {
    const name = SECTION.exec(line)?.[1];
    const found = name === undefined ? undefined : held.find((one) => one.name === name);
    if (found) section = found;
    else if (section && section.text.length < TEXT_HELD && text < TEXT_BUDGET) {
      section.text += `${line}\n`;
      text += line.length;
    }
  }

  return {
    /** Whether the line belongs to the program. */
    take(line: string): boolean {
      if (state === "ended") return false;
      const foot = FOOT.exec(line)?.slice(1).map(Number);
      const over = foot !== undefined || line === "failures:" || line === "successes:";
      if (state === "results" && over) resolveDoubtful();
      // The text of a failed test may hold anything, another program's end too.
      if (foot !== undefined && (state === "results" || fits(foot))) {
        wrong = !fits(foot);
        state = "ended";
      } else if (state === "texts") addText(line);
      else if (over) state = "texts";
      else {
        const [, sure, word] = FUNCTION.exec(line) ?? [];
        const [, name, otherWord] = OTHER.exec(line) ?? [];
        if (sure !== undefined && word !== undefined) result(sure, word);
        else if (name === undefined || otherWord === undefined) return false;
        else if (DOC_TEST.test(name)) result(name, otherWord);
        else if (doubtful.length < HELD) doubtful.push([name, otherWord]);
      }
      return true;
    },
    /** Hands over what was held. Null when the program was whole, else what is wrong. */
    end(): string | null {
      for (const { name, status, text: stack } of withNumbers(held, docs)) {
        collector.add({ suite, name, status, message: headOf(stack), stack });
      }
      if (wrong) return `the counts of ${suite || "a test program"} do not fit its tests`;
      return state === "ended" ? null : `it is cut off: ${suite || "a test program"} has no result`;
    },
  };
}

/** What a panic says, without what the test printed before it and the trace after it. */
function headOf(text: string): string {
  const lines = text.trim().split("\n");
  const panic = lines.findIndex((line) => line.includes(" panicked at "));
  const from = Math.max(panic, 0);
  const end = lines.findIndex((line, at) => at > from && /^(stack backtrace:|note: )/.test(line));
  return lines.slice(from, Math.min(end === -1 ? lines.length : end, from + 10)).join("\n");
}

/** Documentation tests by their number within their item: their lines change with every edit above them. */
function withNumbers(held: readonly Held[], docs: Map<string, number>): Held[] {
  const lineOf = ({ name }: Held) => Number(DOC_TEST.exec(name)?.[2] ?? 0);
  return [...held]
    .sort((a, b) => lineOf(a) - lineOf(b))
    .map((one) => {
      const item = DOC_TEST.exec(one.name)?.[1];
      if (item === undefined) return one;
      const number = (docs.get(item) ?? 0) + 1;
      docs.set(item, number);
      return { ...one, name: number === 1 ? item : `${item} #${number}` };
    });
}
