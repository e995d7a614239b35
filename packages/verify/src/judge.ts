import type { Report } from "./reports/report.ts";

/** Everything that a verdict rests on. */
export interface Evidence {
  exitCode: number | null;
  /** A signal that was not ours. */
  killedBy: string | null;
  /** The time limit that ended the run, in milliseconds. */
  timedOutAfterMs: number | null;
  /** The runner that was asked for a report; null when none was. */
  asked: string | null;
  report: Report | null;
}

export interface Verdict {
  passed: boolean;
  /** One sentence. */
  reason: string;
}

/**
 * Passed or not, and why. Exit code and report must agree; a report must be complete and have a passed test;
 * a report that was asked for must exist. Only where none was asked for does the exit code decide alone.
 */
export function judge({ exitCode, killedBy, timedOutAfterMs, asked, report }: Evidence): Verdict {
  const fail = (reason: string): Verdict => ({ passed: false, reason });
  if (timedOutAfterMs !== null) {
    return fail(`The tests were ended after ${seconds(timedOutAfterMs)}, their time limit.`);
  }
  if (exitCode === null) return fail(`The test command was ended by ${killedBy ?? "a signal"}.`);
  const exited = `the command exited with ${exitCode}`;

  if (report === null) {
    if (exitCode !== 0) return fail(`The test command exited with ${exitCode}.`);
    if (asked === null) return { passed: true, reason: "Passed by exit code only: no report." };
    return fail(
      `The ${asked} report is missing, although ${exited}: no test is known to have run.`,
    );
  }
  const { counts, damage, unnamedFailure } = report;
  if (damage !== null) {
    return fail(`The ${report.format} report cannot be trusted: ${damage} (${exited}).`);
  }
  if (counts.failed > 0 && exitCode === 0) {
    return fail(`The report has ${tests(counts.failed, "failed ")}, but ${exited}.`);
  }
  if (counts.failed > 0) {
    return fail(`${counts.failed} of ${tests(counts.total)} failed: ${names(report)}.`);
  }
  if (unnamedFailure !== null) {
    return fail(`The report contradicts itself: ${unnamedFailure} (${exited}).`);
  }
  if (counts.total === 0) return fail(`No test ran (${exited}).`);
  if (exitCode !== 0) return fail(`The report has no failed test, but ${exited}.`);
  if (counts.passed === 0) return fail(`No test ran: all ${counts.total} were skipped.`);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return { passed: true, reason: `${tests(counts.passed)} passed${skipped}.` };
}

function tests(count: number, kind = ""): string {
  return `${count} ${kind}test${count === 1 ? "" : "s"}`;
}

function names({ tests: all, counts }: Report): string {
  const failed = all
    .filter((test) => test.status === "failed")
    .map((test) => oneLine(test.test_name));
  const shown = failed.slice(0, 3).join("; ");
  return counts.failed > 3 ? `${shown}; and ${counts.failed - 3} more` : shown;
}

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return flat.length > 120 ? `${flat.slice(0, 119)}…` : flat;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
