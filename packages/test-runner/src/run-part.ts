import { mkdir, mkdtemp, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join, posix } from "node:path";
import { type CommandRun, type PlanPart, typedCommand, type VerifyOptions } from "@ccw-loop/core";
import { type RunPlace, roomEnvironment, sandboxCommand } from "./clean-room/sandbox.ts";
import { judge } from "./judge.ts";
import { testEnvironment } from "./process/environment.ts";
import { type RunSettings, requireProgram, runCommand } from "./process/run-command.ts";
import { reportProgress } from "./progress.ts";
import { type FormatName, type Report, readReports } from "./reports/report.ts";
import { stdoutReader } from "./reports/stdout.ts";
import type { RunContext, Runner } from "./runners/runner.ts";
import { runnerNamed } from "./runners/table.ts";

/** What all commands of a chain share; the time limit is for the whole chain. */
interface PartOptions extends VerifyOptions, RunSettings {
  /** The room is shown at the project's own path, as those who use it have it. */
  place?: RunPlace | undefined;
  /** A folder of ours. */
  folder: string;
  /** What is left of the time limit for this part. */
  leftMs: number;
}

export interface PartRun {
  run: CommandRun;
  report: Report | null;
  outputTail: string;
}

/** Runs one command of a chain and judges it. Throws `verify_unavailable` when it cannot be started. */
export async function runPart(part: PlanPart, options: PartOptions): Promise<PartRun> {
  const { signal, timeoutMs, room, place } = options;
  const shown = place?.shown ?? ((text: string) => text);
  signal.throwIfAborted();
  const cwd = join(options.cwd, part.folder ?? "");
  // Anew for each command: an earlier one may have installed the runner.
  const around = testEnvironment(process.env, shown(cwd), options.env);
  const env = room && !place ? roomEnvironment(around, room.top) : around;
  requireProgram(part.command, cwd, env);
  const folder = await mkdtemp(join(options.folder, "part-"));
  const context: RunContext = { command: part.command, cwd, env, reports: join(folder, "asked") };
  const runner = runnerNamed(part.report);
  await writeFiles(runner, context);
  const prepared = runner?.prepare(context) ?? { command: part.command };
  const inStdout = runner?.reports === "stdout" && typeof runner.format === "string";
  const printed = stdoutReader(cwd, inStdout ? (runner.format as FormatName) : undefined);
  // By the file system's clock, not ours: report files of this run are at least as new as their folder.
  const since = (await stat(context.reports)).mtimeMs;
  const about = { command: typedCommand(part), cwd, reports: context.reports };
  const progress =
    options.onProgress &&
    reportProgress({ ...about, printed: () => printed.collected() }, options.onProgress);
  const end = await runCommand(shown(prepared.command), {
    ...options,
    cwd,
    env: mapped({ ...env, ...prepared.env }, shown),
    timeoutMs: options.leftMs,
    wrap: place?.wrap?.(cwd) ?? (room && sandboxCommand(room, options)),
    onStdout: printed.write,
  }).finally(() => progress?.stop());
  const stdout = printed.end();
  const written = runner && (await requestedReport(runner, context, { since, stdout, signal }));
  const asked = written == null && runner?.isOptional ? undefined : runner;
  const report = asked ? (written ?? null) : stdout;
  const { verdict, reason } = judge({
    exitCode: end.exitCode,
    killedBy: end.killedBy,
    timedOutAfterMs: end.timedOut ? timeoutMs : null,
    asked: asked ? part.report : null,
    report,
    failureCodes: asked?.failureCodes ?? null,
  });
  return {
    run: {
      ...named(part),
      exit_code: end.exitCode,
      duration_ms: end.durationMs,
      report: report?.format ?? null,
      // In a script it may be several.
      runner: asked && part.report !== "script" ? part.report : null,
      counts: report?.counts ?? NO_TESTS,
      verdict,
      reason,
    },
    report: report && inFolder(report, part.folder),
    outputTail: end.outputTail,
  };
}

/** What a run is called: as a person would type it in the project's folder. */
function named({ source, ...part }: PlanPart): Pick<CommandRun, "command" | "source"> {
  return { command: typedCommand(part), ...(source === undefined ? {} : { source }) };
}

/** The report with its suites as the project's folder names them: equal names in two folders are different tests. */
function inFolder(report: Report, folder: string | undefined): Report {
  if (folder === undefined) return report;
  const placed = (suite: string) => (isAbsolute(suite) ? suite : posix.join(folder, suite));
  return {
    ...report,
    tests: report.tests.map((test) => ({ ...test, suite: placed(test.suite) })),
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
export function notRun(part: PlanPart, reason: string): PartRun {
  return {
    run: {
      ...named(part),
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
async function requestedReport(
  runner: Runner,
  context: RunContext,
  { since, stdout, signal }: { since: number; stdout: Report | null; signal: AbortSignal },
): Promise<Report | null> {
  if (runner.reports === "stdout") return stdout;
  const files = await runner.reports(context, since);
  const { cwd } = context;
  return files.length === 0 ? null : readReports(files, runner.format, { cwd, signal });
}
