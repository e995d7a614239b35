import type { Objection } from "../state/receipt.ts";
import type { CommandRun, TestCounts, TestResult } from "../state/test-run.ts";
import type { ProcessScope } from "./process-scope.ts";

/** One command of a plan. */
export interface PlanPart {
  command: string;
  /** The report it is expected to write; `exit-code` when only that can be judged. */
  report: string;
}

/** How a project is tested, and where that came from. */
export interface VerifyPlan {
  /** The whole chain, as it was given or found. */
  command: string;
  /** `given`, or what it was detected from: `package.json`, `pytest.ini`, … */
  source: string;
  /** Every command of the chain, in order; at least one. All of them are run, whatever an earlier one says. */
  parts: PlanPart[];
}

export interface VerifyOptions {
  cwd: string;
  /** For whom the run's processes work. */
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  /** For the whole chain. */
  timeoutMs: number;
  /** Live output, already bounded in size per call. */
  onOutput?: (text: string) => void;
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

/** One run of a plan, judged. `passed` only when exit codes and reports agree. */
export interface Verification {
  command: string;
  started_at: string;
  duration_ms: number;
  /** Of the command that decides: the first that did not pass, else the last. */
  exit_code: number | null;
  /** The report format that was read; null when judged by exit codes alone. */
  report: string | null;
  counts: TestCounts;
  /** Every failure; passed and skipped ones up to a bound. */
  tests: TestResult[];
  /** Percent of lines, or null. */
  coverage: number | null;
  coverage_files: FileCoverage[];
  passed: boolean;
  /** One sentence: why it passed or not. */
  reason: string;
  /** The last lines of the output. */
  output_tail: string;
  /** Test files of the project by path, with the SHA-256 of their content. */
  test_files: Record<string, string>;
  commands: CommandRun[];
  /** SHA-256 of what the tests were started with: variables, platform, versions. */
  environment: string;
  /**
   * Fingerprints of what ran the tests, by name: the program that each command starts, and a JavaScript runner's
   * own package. A runner that was patched has another one.
   */
  runners: Record<string, string>;
}

/** A file that a loop changed, as text: null where it is not there, undefined where it is no text or too large. */
export interface FileVersions {
  path: string;
  before: string | null | undefined;
  after: string | null | undefined;
}

/** What `inspect` is told beside the files. */
export interface InspectContext {
  /** The project folder as it is now: to follow what the test command starts. */
  cwd: string;
  /** The test command as it is run. */
  command: string;
}

/** What one command showed. */
export interface ProbeRun {
  exit_code: number | null;
  duration_ms: number;
  /** Its last lines, bounded, without control sequences. */
  output: string;
  timed_out: boolean;
}

export interface ProbeOptions {
  cwd: string;
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Runs a project's own tests (DESIGN §7). Contract, executable as `describeVerifier` in `@ccw-loop/testkit`:
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
   * What in these changes weakens the proof: tests deleted, skipped, focused, emptied, loosened, excluded or mocked
   * away, their configuration or script changed, code that behaves differently under test (ADR 12). `allowed` is
   * false in all of them. Reads; runs nothing.
   */
  inspect(changes: readonly FileVersions[], context: InspectContext): Promise<Objection[]>;
  /** Runs one command with the environment of the tests; ends like `verify`. */
  probe(command: string, options: ProbeOptions): Promise<ProbeRun>;
}
