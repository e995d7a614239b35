import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "@ccw-loop/core";
import { filesUnder } from "../project-files.ts";
import type { FormatName } from "../reports/report.ts";

/**
 * The folder of reports, for runners that are asked by their environment. Whoever begins a run takes the variable out of
 * the environment, so that whatever its tests start is asked for nothing.
 */
export const REPORTS_VARIABLE = "CCW_LOOP_SCRIPT_REPORTS";

/** What a runner is asked with: the command, and a folder of ours for its report. */
export interface RunContext {
  command: string;
  cwd: string;
  /** Private, outside the project; holds the runner's `files` and nothing else. */
  reports: string;
  env: Readonly<Record<string, string>>;
}

/** The command as it is really run, and what is added to its environment. */
interface Prepared {
  command: string;
  env?: Record<string, string>;
}

/**
 * How one test runner is made to write a report without a change to the project. A new runner is one more
 * of these, and a line in `recognise.ts`.
 */
export interface Runner {
  /** Of its report, or of each of its files. */
  format: FormatName | ((file: string) => FormatName);
  /** It need not be there: then the exit code and what was printed decide. */
  isOptional?: true;
  /** Programs of ours that run inside it, by the names they get in `reports`. */
  files?(context: RunContext): Readonly<Record<string, string>>;
  prepare(context: RunContext): Prepared;
  /** The report files after the run. `stdout`: it prints the report. */
  reports: "stdout" | ((context: RunContext, since: number) => Promise<string[]>);
  /** Exit codes that only say "a test has failed". Where they are unknown, any below those of signals may. */
  failureCodes?: readonly number[];
}

/** A runner that is told by arguments at the end of its command, and writes one file. */
export function byArguments(
  format: Runner["format"],
  argumentsFor: (file: string) => string[],
  more: Partial<Runner> = {},
): Runner {
  return {
    format,
    prepare: (context) => ({
      command: withArguments(context.command, argumentsFor(reportFile(context))),
    }),
    reports: oneFile,
    ...more,
  };
}

/** A package manager's own call of a script; these hand on only what stands behind `--`. */
const SCRIPT = /^(npm\s+(t|test|run(-script)?\s+\S+)|composer\s+(run(-script)?\s+)?\S+)\s*$/;

/** The command with arguments for the runner at its end. */
export function withArguments(command: string, args: readonly string[]): string {
  const separator = SCRIPT.test(command.trim()) ? " --" : "";
  return `${command}${separator} ${args.map(shellWord).join(" ")}`;
}

/** The command with arguments right behind the words that `words` finds last. */
export function withArgumentsAfter(
  command: string,
  words: RegExp,
  args: readonly string[],
): string {
  const at = [...command.matchAll(new RegExp(words.source, "g"))].at(-1);
  if (!at) return command;
  const end = at.index + at[0].length;
  return `${command.slice(0, end)} ${args.map(shellWord).join(" ")}${command.slice(end)}`;
}

/** Where a runner that takes one path writes its report. */
export function reportFile({ reports }: RunContext): string {
  return join(reports, "report");
}

/** That file, if the run has written it. */
export async function oneFile(context: RunContext): Promise<string[]> {
  const file = reportFile(context);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size > 0 ? [file] : [];
}

/** The files in our own folder that end like one of these. */
export function filesEnding(...endings: string[]): (context: RunContext) => Promise<string[]> {
  return async ({ reports }) => {
    const entries = await readdir(reports, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && endings.some((end) => entry.name.endsWith(end)))
      .map(({ name }) => join(reports, name))
      .sort();
  };
}

/** Report files inside the project that this run wrote: runners that cannot be told where to write. */
export function freshFiles(
  pattern: RegExp,
): (context: RunContext, since: number) => Promise<string[]> {
  return async ({ cwd }, since) => {
    const fresh: string[] = [];
    for await (const path of filesUnder(cwd, { builds: true })) {
      if (!pattern.test(path)) continue;
      const file = join(cwd, path);
      const found = await stat(file).catch(() => null);
      if (found && found.mtimeMs >= since) fresh.push(file);
    }
    return fresh;
  };
}
