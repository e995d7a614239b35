import type { TestCounts, TestResult } from "../state/receipt.ts";

/** A test command and where it came from. */
export interface VerifyPlan {
  command: string;
  /** `given`, or what it was detected from: `package.json`, `pytest.ini`, … */
  source: string;
  /** The report it is expected to write; `exit-code` when only that can be judged. */
  report: string;
}

export interface VerifyOptions {
  cwd: string;
  signal: AbortSignal;
  timeoutMs: number;
  /** Live output, already bounded in size per call. */
  onOutput?: (text: string) => void;
}

/** One run of a plan, judged. `passed` only when exit code and report agree. */
export interface Verification {
  command: string;
  started_at: string;
  duration_ms: number;
  exit_code: number | null;
  /** The report format that was read; null when judged by the exit code alone. */
  report: string | null;
  counts: TestCounts;
  /** Every failure; passed and skipped ones up to a bound. */
  tests: TestResult[];
  /** Percent of lines, or null. */
  coverage: number | null;
  passed: boolean;
  /** One sentence: why it passed or not. */
  reason: string;
  /** The last lines of the output. */
  output_tail: string;
  /** Test files of the project by path, with the SHA-256 of their content. */
  test_files: Record<string, string>;
}

/**
 * Runs a project's own tests (DESIGN §7). Contract, executable as `describeVerifier` in `@ccw-loop/testkit`:
 * - `detect` answers null when there is nothing to run, never a guess.
 * - `verify` passes only if the command exits 0, and its report, where there is one, is complete, has at
 *   least one passed test and no failed one. A report that contradicts the exit code fails.
 * - Abort and timeout leave no process of the run alive.
 */
export interface Verifier {
  detect(cwd: string, given?: string): Promise<VerifyPlan | null>;
  /** Throws `verify_unavailable` when the command cannot be started; rejects with `signal.reason` on abort. */
  verify(plan: VerifyPlan, options: VerifyOptions): Promise<Verification>;
}
