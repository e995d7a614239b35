import { type CommandRun, counted } from "@ccw-loop/core";
import type { Report } from "./reports/report.ts";

/** Everything that a verdict on one command rests on. */
export interface Evidence {
  exitCode: number | null;
  /** A signal that was not ours. */
  killedBy: string | null;
  /** The time limit that ended the run, in milliseconds. */
  timedOutAfterMs: number | null;
  /** The runner that was asked for a report; null when none was. */
  asked: string | null;
  /** What the runner itself wrote, or what the command printed. */
  report: Report | null;
  /** Exit codes that only say "a test has failed"; null where they are unknown. */
  failureCodes: readonly number[] | null;
}

export interface Verdict {
  verdict: CommandRun["verdict"];
  /** One sentence. */
  reason: string;
}

/** Codes from here on are the shell's own: it could not start a program, or a signal ended one. */
const SHELL_CODES = 126;

/**
 * What one command's run is worth. Exit code and report must agree; a report must be complete and have a passed
 * test; a report that was asked for must exist. Only where none was asked for does the exit code decide alone.
 */
export function judge(evidence: Evidence): Verdict {
  const { exitCode, killedBy, timedOutAfterMs, asked, report } = evidence;
  const fail = (reason: string): Verdict => ({ verdict: "untrusted", reason });
  if (timedOutAfterMs !== null) {
    return fail(
      `The tests were ended after ${seconds(timedOutAfterMs)}, their time limit (--test-timeout).${runningTests(report)}`,
    );
  }
  if (exitCode === null) return fail(`The test command was ended by ${killedBy ?? "a signal"}.`);
  const exited = `the command exited with ${exitCode}`;

  if (report === null) {
    if (exitCode !== 0) return fail(`The test command exited with ${exitCode}.`);
    if (asked === null) {
      return { verdict: "passed", reason: "Passed by exit code only: no report." };
    }
    return fail(
      `The ${asked} report is missing, although ${exited}: no test is known to have run.`,
    );
  }
  if (report.damage !== null) {
    return fail(
      `The ${report.format} report cannot be trusted: ${oneLine(report.damage)} (${exited}).`,
    );
  }
  const { counts, unnamedFailure } = report;
  if (counts.failed > 0 && exitCode === 0) {
    return fail(`The report has ${counted(counts.failed, "failed test")}, but ${exited}.`);
  }
  if (unnamedFailure !== null) {
    return fail(`The report contradicts itself: ${oneLine(unnamedFailure)} (${exited}).`);
  }
  if (counts.failed > 0) return judgeFailed(evidence, report, exitCode);
  if (counts.total === 0) return fail(`No test ran (${exited}).`);
  if (exitCode !== 0) return fail(`The report has no failed test, but ${exited}.`);
  if (counts.passed === 0) return fail(`No test ran: all ${counts.total} were skipped.`);
  return { verdict: "passed", reason: `${passed(counts)}.` };
}

/** Which tests had been begun when the time was over. */
function runningTests(report: Report | null): string {
  const running = report?.running ?? [];
  return running.length === 0 ? "" : ` Running then: ${firstThree(running, running.length)}.`;
}

/** `3 tests passed, 1 skipped`. */
export function passed(counts: Report["counts"]): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counted(counts.passed, "test")} passed${skipped}`;
}

/** Whether the failed tests alone explain the exit code. */
function judgeFailed({ failureCodes }: Evidence, report: Report, exitCode: number): Verdict {
  const { counts, tests } = report;
  const failedTests = tests.flatMap((test) => (test.status === "failed" ? test.test_name : []));
  const failed = `${counts.failed} of ${counted(counts.total, "test")} failed: ${firstThree(failedTests, counts.failed)}`;
  const explained = failureCodes?.includes(exitCode) ?? exitCode < SHELL_CODES;
  if (!explained) {
    return {
      verdict: "untrusted",
      reason: `${failed}; but the command exited with ${exitCode}, which no failed test explains.`,
    };
  }
  return { verdict: "tests_failed", reason: `${failed}.` };
}

/** Of `total` tests, not all of which need have their names here. */
function firstThree(names: readonly string[], total: number): string {
  const shown = names.slice(0, 3).map(oneLine).join("; ");
  return total > 3 ? `${shown}; and ${total - 3} more` : shown;
}

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > 120 ? `${flat.slice(0, 119)}…` : flat;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
