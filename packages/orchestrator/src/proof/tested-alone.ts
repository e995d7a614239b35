import { identified, mayBeTested, type Verification } from "@ccw-loop/core";

/** A run in a room of its own, which is `cwd`. */
export interface RoomRun {
  cwd: string;
  run: Verification;
}

/**
 * Whether some files are all of the project that tests ask for: taken alone, with every other file of the start emptied that
 * may be tested, they let the suites of these tests come to the same results with the same words, and one of them pass.
 * What helps the tests needs what is tested.
 */
export async function areTestedAlone(
  tests: readonly string[],
  whole: () => Promise<RoomRun>,
  alone: () => Promise<RoomRun>,
): Promise<boolean> {
  const suites = new Set(tests.map(suiteOf));
  const [one, other] = [await whole(), await alone()].map((made) => resultsOf(made, suites));
  const isPassed = one?.some((result) => result.endsWith(PASSED)) ?? false;
  return isPassed && one?.join("\n") === other?.join("\n");
}

const PASSED = " passed";

function resultsOf({ cwd, run }: RoomRun, suites: ReadonlySet<string>): string[] {
  return identified(run.tests)
    .filter(([id]) => suites.has(suiteOf(id)))
    .map(([id, { status, error_message }]) => {
      const words = (error_message ?? "").replaceAll(cwd, "");
      return `${id} ${words} ${status}`;
    });
}

const suiteOf = (id: string): string => id.split(" > ", 1)[0] ?? id;

/** The files of the start that may be tested beside these, each with an empty text. */
export function emptiedOthers(
  paths: readonly string[],
  files: readonly string[],
  testFiles: readonly string[],
): Map<string, string> {
  const kept = new Set([...files, ...testFiles]);
  const others = paths.filter((path) => !kept.has(path) && mayBeTested(path));
  return new Map(others.map((path) => [path, ""]));
}
