import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Verification, VerifyOptions, VerifyPlan } from "@ccw-loop/core";
import { readCoverage } from "./coverage.ts";
import { digestTestFiles } from "./files/test-files.ts";
import { judge } from "./judge.ts";
import { requireStartable } from "./process/can-start.ts";
import { testEnvironment } from "./process/environment.ts";
import { runCommand } from "./process/run-command.ts";
import { type Report, readReports, readUnknownReport } from "./reports/report.ts";
import { stdoutReader } from "./reports/stdout.ts";
import type { RunContext, Runner } from "./runners/runner.ts";
import { runnerNamed } from "./runners/table.ts";

/** A path that the command may write a report of any readable format to. */
const OFFERED_VARIABLE = "CCW_LOOP_REPORT";

export interface RunSettings {
  env: Readonly<Record<string, string>>;
  graceMs: number;
}

/** Runs a plan once and judges it; see `Verifier` for the contract. */
export async function verify(
  plan: VerifyPlan,
  options: VerifyOptions,
  settings: RunSettings,
): Promise<Verification> {
  const { cwd, signal, timeoutMs, onOutput } = options;
  signal.throwIfAborted();
  const env = testEnvironment(process.env, cwd, settings.env);
  requireStartable(plan.command, cwd, env);
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-verify-"));
  try {
    const offered = join(folder, "offered");
    const context: RunContext = { command: plan.command, cwd, env, reports: join(folder, "asked") };
    await mkdir(context.reports);
    const runner = runnerNamed(plan.report);
    const prepared = runner?.prepare(context) ?? { command: plan.command };
    const testFiles = await digestTestFiles(cwd);
    const printed = stdoutReader(cwd);
    // The file system's own clock: a file of this run is never older than our folder.
    const since = (await stat(context.reports)).mtimeMs;
    const startedAt = new Date().toISOString();
    const end = await runCommand(prepared.command, {
      cwd,
      env: { ...env, [OFFERED_VARIABLE]: offered, ...prepared.env },
      signal,
      timeoutMs,
      graceMs: settings.graceMs,
      onStdout: printed.write,
      onOutput,
    });
    const stdout = printed.end();
    const report =
      (await readUnknownReport(offered, cwd)) ??
      (runner ? await askedReport(runner, context, since, stdout) : stdout);
    const verdict = judge({
      exitCode: end.exitCode,
      killedBy: end.killedBy,
      timedOutAfterMs: end.timedOut ? timeoutMs : null,
      asked: runner ? plan.report : null,
      report,
    });
    return {
      command: plan.command,
      started_at: startedAt,
      duration_ms: end.durationMs,
      exit_code: end.exitCode,
      report: report?.format ?? null,
      counts: report?.counts ?? { total: 0, passed: 0, failed: 0, skipped: 0 },
      tests: report?.tests ?? [],
      coverage: await readCoverage(cwd, since),
      ...verdict,
      output_tail: end.outputTail,
      test_files: testFiles,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The report that the runner was asked for. */
async function askedReport(
  runner: Runner,
  context: RunContext,
  since: number,
  stdout: Report | null,
): Promise<Report | null> {
  if (runner.reports === "stdout") return stdout;
  const files = await runner.reports(context, since);
  return files.length === 0 ? null : readReports(files, runner.format, context.cwd);
}
