import { mkdir, mkdtemp, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandRun, PlanPart, ProcessScope, VerifyOptions } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { runnerVersion } from "./fingerprint/version.ts";
import { judge } from "./judge.ts";
import { requireStartable } from "./process/can-start.ts";
import { testEnvironment } from "./process/environment.ts";
import type { Place } from "./process/place.ts";
import { roomEnvironment, sandbox } from "./process/room.ts";
import { runCommand } from "./process/run-command.ts";
import { type Report, readReports, readUnknownReport } from "./reports/report.ts";
import { stdoutReader } from "./reports/stdout.ts";
import type { RunContext, Runner } from "./runners/runner.ts";
import { runnerNamed } from "./runners/table.ts";

/** A path that the command may write a report of any readable format to. */
const OFFERED_VARIABLE = "CCW_LOOP_REPORT";

/** What all commands of a chain share. */
export interface PartOptions {
  cwd: string;
  room?: VerifyOptions["room"];
  /** The room is shown at the project's own path, as those who use it have it. */
  place?: Place | undefined;
  /** A folder of ours. */
  folder: string;
  extraEnv: Readonly<Record<string, string>>;
  graceMs: number;
  hidden: readonly string[];
  processes: Processes;
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  /** Of the whole chain, and what is left of it. */
  timeoutMs: number;
  leftMs: number;
  onOutput?: ((text: string) => void) | undefined;
}

export interface PartRun {
  run: CommandRun;
  report: Report | null;
  outputTail: string;
}

/** Runs one command of a chain and judges it. Throws `verify_unavailable` when it cannot be started. */
export async function runPart(part: PlanPart, options: PartOptions): Promise<PartRun> {
  const { cwd, signal, timeoutMs, room, place } = options;
  const shown = place?.shown ?? ((text: string) => text);
  signal.throwIfAborted();
  // Anew for each command: an earlier one may have installed the runner.
  const around = testEnvironment(process.env, place?.cwd ?? cwd, options.extraEnv);
  const env = room && !place ? roomEnvironment(around, cwd) : around;
  requireStartable(part.command, cwd, env);
  const folder = await mkdtemp(join(options.folder, "part-"));
  const offered = join(folder, "offered");
  const context: RunContext = { command: part.command, cwd, env, reports: join(folder, "asked") };
  const runner = runnerNamed(part.report);
  await writeFiles(runner, context);
  const prepared = runner?.prepare(context) ?? { command: part.command };
  const printed = stdoutReader(cwd, runner?.reports === "stdout" ? runner.format : undefined);
  const version = await runnerVersion(part, cwd, env);
  // The file system's own clock: a file of this run is never older than our folder.
  const since = (await stat(context.reports)).mtimeMs;
  const end = await runCommand(shown(prepared.command), {
    cwd,
    env: mapped({ ...env, [OFFERED_VARIABLE]: offered, ...prepared.env }, shown),
    signal,
    timeoutMs: options.leftMs,
    graceMs: options.graceMs,
    processes: options.processes,
    scope: options.scope,
    wrap: place?.wrap ?? (room && sandbox(room, options.hidden)),
    onStdout: printed.write,
    onOutput: options.onOutput,
  });
  const stdout = printed.end();
  const offeredReport = await readUnknownReport(offered, options);
  const own = runner ? await askedReport(runner, context, { since, stdout, signal }) : stdout;
  // What looks like a report in some output need not be one.
  const report = runner || own?.damage === null || offeredReport === null ? own : null;
  const { verdict, reason } = judge({
    exitCode: end.exitCode,
    killedBy: end.killedBy,
    timedOutAfterMs: end.timedOut ? timeoutMs : null,
    asked: runner ? part.report : null,
    report,
    offered: offeredReport,
    failureCodes: runner?.failureCodes ?? null,
    output: end.outputTail,
  });
  const read = report ?? offeredReport;
  return {
    run: {
      command: part.command,
      exit_code: end.exitCode,
      duration_ms: end.durationMs,
      report: read?.format ?? null,
      runner: version,
      counts: read?.counts ?? NO_TESTS,
      verdict,
      reason,
    },
    report: read,
    outputTail: end.outputTail,
  };
}

function mapped(
  env: Readonly<Record<string, string>>,
  by: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, by(value)]));
}

/**
 * A command that was not run although it should have been: the time was over, or an earlier one that failed was
 * to make what it needs.
 */
export function notRun({ command }: PlanPart, reason: string): PartRun {
  return {
    run: {
      command,
      exit_code: null,
      duration_ms: 0,
      report: null,
      runner: null,
      counts: NO_TESTS,
      verdict: "untrusted",
      reason,
    },
    report: null,
    outputTail: "",
  };
}

const NO_TESTS = { total: 0, passed: 0, failed: 0, skipped: 0 };

async function writeFiles(runner: Runner | undefined, context: RunContext): Promise<void> {
  await mkdir(context.reports);
  for (const [name, text] of Object.entries(runner?.files?.(context) ?? {})) {
    await writeFile(join(context.reports, name), text);
  }
}

/** The report that the runner was asked for. */
async function askedReport(
  runner: Runner,
  context: RunContext,
  { since, stdout, signal }: { since: number; stdout: Report | null; signal: AbortSignal },
): Promise<Report | null> {
  if (runner.reports === "stdout") return stdout;
  const files = await runner.reports(context, since);
  const { cwd } = context;
  return files.length === 0 ? null : readReports(files, runner.format, { cwd, signal });
}
