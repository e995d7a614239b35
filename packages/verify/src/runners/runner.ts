import type { FormatName } from "../reports/formats.ts";

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
