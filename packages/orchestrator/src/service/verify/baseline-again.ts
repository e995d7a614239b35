import { type Baseline, TESTS_KEPT, testStates, type Verification } from "@ccw-loop/core";

/**
 * The start as a new run in a clean room shows it, for the baseline of the square. Where the same command was run, what
 * passed in the project and does not pass in the room stays green, as it was recorded: it cannot be run there, and is judged
 * in place. A red test is taken from the new run alone.
 */
export function rebuildBaseline(
  recorded: Baseline,
  run: Verification,
  isSameCommand: boolean,
): Baseline {
  const fresh = testStates(run.tests);
  const green = isSameCommand
    ? Object.entries(recorded.tests).filter(
        ([id, state]) => state === "passed" && fresh[id] !== state,
      )
    : [];
  const commands = run.commands.map((one, n) => {
    const before = isSameCommand ? recorded.commands[n] : undefined;
    const wasGreen = before?.command === one.command && before.verdict === "passed";
    return wasGreen ? before : one;
  });
  const tests = { ...fresh, ...Object.fromEntries(green) };
  return {
    ...{ at: run.started_at, tree: recorded.tree, command: run.command, reason: run.reason },
    ...{ counts: run.counts, tests, commands, coverage: null },
    complete: run.counts.total === run.tests.length && Object.keys(tests).length <= TESTS_KEPT,
    test_files: [...new Set([...recorded.test_files, ...Object.keys(run.test_files)])],
  };
}
