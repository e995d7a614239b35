import { type RecordedEvent, testStates } from "@ccw-loop/core";

type TestState = ReturnType<typeof testStates>[string];

/** One run of the tests: before any change (iteration 0), or of a VALIDATE. */
export interface GridRun {
  iteration: number;
  at: string;
  passed: boolean;
  /** Share of passed tests, 0 to 1; null where none was counted. */
  rate: number | null;
  /** Covered lines, 0 to 100; null where that was not measured. */
  coverage: number | null;
}

/** Every test with how it ended in every run; undefined where a run had no such test. */
export interface TestGrid {
  runs: GridRun[];
  rows: { test: string; states: (TestState | undefined)[] }[];
}

interface Run extends GridRun {
  tests: Readonly<Record<string, TestState>>;
}

/** Who was red when: all runs of a journal in order. Tests that were red last come first, then those that ever were. */
export function testGrid(recorded: Iterable<RecordedEvent>): TestGrid {
  const runs: Run[] = [];
  for (const { event } of recorded) {
    if (event.type === "baseline.measured") {
      const { at, tests, counts, coverage } = event.baseline;
      const passed = counts.total > 0 && counts.failed === 0;
      runs.push({ iteration: 0, at, passed, rate: passRate(counts), coverage, tests });
    } else if (event.type === "action.completed" && event.output.action === "VALIDATE") {
      const { receipt, coverage, test_results } = event.output;
      const { iteration, passed, counts, tests = testStates(test_results) } = receipt;
      if (receipt.waived !== undefined) continue;
      runs.push({ iteration, at: event.at, passed, rate: passRate(counts), coverage, tests });
    }
  }
  const names = new Set(runs.flatMap(({ tests }) => Object.keys(tests)));
  const rows = [...names].map((test) => ({ test, states: runs.map(({ tests }) => tests[test]) }));
  const rank = ({ states }: TestGrid["rows"][number]) =>
    states.at(-1) === "failed" ? 0 : states.includes("failed") ? 1 : 2;
  rows.sort((a, b) => rank(a) - rank(b) || (a.test < b.test ? -1 : 1));
  return { runs: runs.map(({ tests: _, ...run }) => run), rows };
}

/** Share of passed tests among those that ran, 0 to 1; null where none ran. */
export function passRate({ passed, failed }: { passed: number; failed: number }): number | null {
  return passed + failed === 0 ? null : passed / (passed + failed);
}
