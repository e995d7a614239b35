import { z } from "zod";
import type { Objection, ProofCheck, Receipt } from "../state/receipt.ts";
import type { TestResult } from "../state/test-run.ts";
import { shellWord } from "../text.ts";
import type { AgentPlace, ExecResult, ProcessScope } from "./agent.ts";
import type { Checkout, Surroundings } from "./workspace.ts";

/** One command of a plan: a suite of the project, or a step in front of one. */
export interface PlanPart {
  /** As it is run in its folder. */
  command: string;
  /** Below the project, with `/`; the project's own where it is missing. */
  folder?: string;
  /** The report it is expected to write; `exit-code` when only that can be judged. */
  report: string;
  /** The file that says that it is one of the project's suites, from the project; missing for a given command. */
  source?: string;
}

/** The command of a part as a person would type it in the project's folder. */
export function typedCommand({ command, folder }: Pick<PlanPart, "command" | "folder">): string {
  return folder === undefined ? command : `(cd ${shellWord(folder)} && ${command})`;
}

/** How a project is tested, and where that came from. */
export interface VerifyPlan {
  /** The whole chain, as it was given or found. */
  command: string;
  /** `given`, or the files that it was found by: `package.json`, `web/vitest.config.ts`, … */
  source: string;
  /** Every command of the chain, in order; at least one. All of them are run, whatever an earlier one says. */
  parts: PlanPart[];
}

export const TestProgress = z.object({
  /** The command that is running, as a person would type it. */
  command: z.string(),
  /** Tests with a result, and those of them that failed, as far as the runner tells while it runs. */
  done: z.int(),
  failed: z.int(),
  /** Some that were begun and have none. */
  running: z.array(z.string()),
  elapsed_ms: z.number(),
});
export type TestProgress = z.infer<typeof TestProgress>;

export interface VerifyOptions {
  cwd: string;
  /** `cwd` is a clean room: another home and surroundings, and no way to the project where the system can hide it. */
  room?: Pick<Checkout, "top" | "project" | "linked" | "surroundings">;
  /** For whom the run's processes work. */
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  /** For the whole chain. */
  timeoutMs: number;
  /** Live output, already bounded in size per call. */
  onOutput?: (text: string) => void;
  /** Called every ten seconds. */
  onProgress?: ((progress: TestProgress) => void) | undefined;
}

export interface Missing {
  /** A sentence that names it. */
  message: string;
  /** What brings it, as it is typed in the project's folder; null where nobody can tell. */
  command: string | null;
}

/** What one file's coverage says; lines are 1-based. */
export interface FileCoverage {
  path: string;
  /** Percent of its executable lines. */
  lines: number;
  /** Executable lines that were hit and missed; both empty where the report has only rates. */
  hit: number[];
  missed: number[];
}

/** What a receipt takes over from the run that it is given for. */
type Reported =
  | ("command" | "started_at" | "duration_ms" | "exit_code" | "report" | "counts")
  | ("passed" | "reason" | "test_files" | "commands");

/** One run of a plan, judged. `passed` only when exit codes and reports agree. */
export interface Verification extends Pick<Receipt, Reported> {
  /** Every failure; passed and skipped ones up to a bound. */
  tests: TestResult[];
  /** Percent of lines, or null. */
  coverage: number | null;
  coverage_files: FileCoverage[];
  output_tail: string;
}

export interface CheckOptions extends Omit<VerifyOptions, "cwd" | "room"> {
  /** A new clean room with the start's tests: and the sources of the start, or the present ones. */
  room: (sources: "start" | "present") => Promise<Checkout>;
  /** Changed sources that are there now. */
  sources: readonly string[];
  /** Tests that pass in the room, by identity, and where the reports place them; a file that is not known is missing. */
  green: readonly { id: string; file?: string | undefined }[];
  /** Commands, as a person would type them, whose reports place no test in a file, or that have none. */
  unplaced: readonly string[];
  /** Those of these files (from the project root) that tests compare with or are run with. */
  judging: (paths: readonly string[]) => Promise<string[]>;
}

/** One further run, with what it says against the results. */
export interface CheckResult {
  check: ProofCheck;
  objections: Objection[];
}

/** What one command showed. Its output has no control sequences. */
export interface ProbeRun extends ExecResult {
  duration_ms: number;
}

export type ProbeOptions = Pick<VerifyOptions, "cwd" | "scope" | "signal" | "timeoutMs">;

/**
 * Runs a project's own tests. Contract, executable as `describeVerifier` in `@ccw-loop/testkit`:
 * - `detect` answers null when there is nothing to run, never a guess.
 * - `verify` passes only if every command exits 0, and its report, where there is one, is complete, has at
 *   least one passed test and no failed one. A report that contradicts the exit code fails.
 * - Abort and timeout leave no process of the run alive.
 */
export interface Verifier {
  /** `given` may chain commands with `&&`. */
  detect(cwd: string, given?: string): Promise<VerifyPlan | null>;
  /** Throws `verify_unavailable` when a command cannot be started; rejects with `signal.reason` on abort. */
  verify(plan: VerifyPlan, options: VerifyOptions): Promise<Verification>;
  /**
   * Further runs in clean rooms that show whether the results can be believed: tests that must fail do, and what the
   * tests saw of the changed sources is what everybody else sees. A check that does not exist for the
   * plan's runners is answered as `not_run`.
   */
  check(plan: VerifyPlan, options: CheckOptions): Promise<CheckResult[]>;
  /**
   * What keeps the tests from being run at all: packages that are not installed, empty submodules, a service that does not
   * answer. `run` is what came of them, null where they could not be started; empty where it has a test that passed.
   */
  missing(plan: VerifyPlan, cwd: string, run: Verification | null): Promise<Missing[]>;
  /** Runs one command with the environment of the tests; ends like `verify`. */
  probe(command: string, options: ProbeOptions): Promise<ProbeRun>;
  /** Programs, packages and settings that tests use, that lie outside of the project and are newer than that. */
  surroundings(cwd: string, since: Date): Promise<Surroundings>;
}

/** What a module that an operator names as `verifier` exports by default. */
export interface VerifierFactory<Processes = unknown> {
  /** What it is, in a few words. */
  describe: string;
  /**
   * Makes the verifier of a project; called once by each process, when tests are first looked for. It gets the place that
   * an agent gets. No test may read the `hidden` folders either.
   */
  open(place: AgentPlace<Processes>): Verifier | Promise<Verifier>;
}
