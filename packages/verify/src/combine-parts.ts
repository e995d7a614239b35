import type { TestCounts, Verification } from "@ccw-loop/core";
import { passed } from "./judge.ts";
import { FAILED_KEPT, OTHERS_KEPT } from "./reports/collector.ts";
import type { PartRun } from "./run-part.ts";

/** Characters of all output that is kept. */
const TAIL = 64 * 1024;

/** The results of a chain as one; at least one command. */
export function combineParts(
  parts: readonly PartRun[],
): Omit<Verification, "command" | "started_at" | "coverage" | "coverage_files" | "test_files"> {
  const bad = parts.find(({ run }) => run.verdict !== "passed");
  const deciding = bad ?? (parts.at(-1) as PartRun);
  const counts = sum(parts.map(({ run }) => run.counts));
  const reports = [deciding, ...parts].map(({ run }) => run.report);
  const tests = parts.flatMap(({ report }) => report?.tests ?? []);
  const failed = tests.filter(({ status }) => status === "failed");
  const others = tests.filter(({ status }) => status !== "failed");
  const report = reports.find((one) => one !== null) ?? null;
  return {
    duration_ms: parts.reduce((ms, { run }) => ms + run.duration_ms, 0),
    exit_code: deciding.run.exit_code,
    report,
    counts,
    tests: [...failed.slice(0, FAILED_KEPT), ...others.slice(0, OTHERS_KEPT)],
    passed: bad === undefined,
    // Of a chain that passed, its last command may be the one that says least.
    reason: bad || report === null ? deciding.run.reason : `${passed(counts)}.`,
    output_tail: tailOf(parts, deciding),
    commands: parts.map(({ run }) => run),
  };
}

function sum(all: readonly TestCounts[]): TestCounts {
  const added = (pick: (counts: TestCounts) => number) =>
    all.reduce((value, counts) => value + pick(counts), 0);
  return {
    total: added((counts) => counts.total),
    passed: added((counts) => counts.passed),
    failed: added((counts) => counts.failed),
    skipped: added((counts) => counts.skipped),
  };
}

/** What the commands that did not pass have said, each under its name; of one alone, what it said. */
function tailOf(parts: readonly PartRun[], deciding: PartRun): string {
  const bad = parts.filter(({ run }) => run.verdict !== "passed");
  if (bad.length < 2) return deciding.outputTail;
  const each = Math.floor(TAIL / bad.length) - 200;
  return bad
    .map(({ run, outputTail }) => `$ ${run.command.slice(0, 160)}\n${outputTail.slice(-each)}`)
    .join("\n");
}
