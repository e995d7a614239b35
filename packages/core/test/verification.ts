import {
  Baseline,
  CommandRun,
  type LoopState,
  type Settings,
  TestResult,
  type TestStates,
  type Verification,
} from "../src/index.ts";
import { AT, loop } from "./given.ts";

export function results(states: TestStates): TestResult[] {
  return Object.entries(states).map(([id, status]) => {
    const [suite = "", test_name = ""] = id.split(" > ");
    return TestResult.parse({ suite, test_name, status });
  });
}

export function countsOf(states: TestStates) {
  const all = Object.values(states);
  const count = (status: string) => all.filter((s) => s === status).length;
  const [passed, failed, skipped] = [count("passed"), count("failed"), count("skipped")];
  return { total: all.length, passed, failed, skipped };
}

/** What one run said; by default its commands say what its tests say. */
export function run(states: TestStates, changes: Partial<CommandRun> = {}): Verification {
  const counts = countsOf(states);
  const passed = counts.failed === 0 && changes.verdict !== "untrusted";
  const command = CommandRun.parse({
    ...{ command: "npm test", exit_code: passed ? 0 : 1, duration_ms: 1, report: "junit", counts },
    verdict: passed ? "passed" : "tests_failed",
    reason: passed ? "All passed." : "Some failed.",
    ...changes,
  });
  return {
    ...{ command: "npm test", started_at: AT, duration_ms: 1, exit_code: command.exit_code },
    ...{ report: command.report, counts, tests: results(states), coverage: null },
    ...{ coverage_files: [], passed, reason: command.reason, output_tail: "", test_files: {} },
    ...{ commands: [command] },
  };
}

/** A loop whose tests stood so at the start; null: there were none. */
export function loopWith(tests: TestStates | null, settings: Settings = {}): LoopState {
  const command = tests === null ? "" : "npm test";
  const measured = { counts: countsOf(tests ?? {}), tests: tests ?? {} };
  const baseline = Baseline.parse({ at: AT, tree: "t", command, reason: "", ...measured });
  return loop({ settings, baseline });
}
