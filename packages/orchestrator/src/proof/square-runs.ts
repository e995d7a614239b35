import {
  type CellRun,
  identified,
  judgeSquare,
  mayBeTested,
  needsStart,
  type Square,
  type SquareRuns,
  type SquareTerms,
  type Verification,
} from "@ccw-loop/core";
import { cellOf, cellRun, type Judged, mergeRetries } from "./cells.ts";

export interface Made {
  runs: SquareRuns;
  cells: Square["cells"];
  /** The verdict as the runner told it. */
  verdict?: Verification;
}

/** A copy for a second try: its runs replace these only if that try is accepted. */
export function copyOf({ runs, cells }: Made): Made {
  return { runs: { ...runs }, cells: { ...cells } };
}

/**
 * Runs the verdict. Where a test that was green in the baseline is not green there, runs it a second time, and the
 * start in the room.
 */
export async function measureVerdict(
  state: Judged,
  made: Made,
  terms: SquareTerms,
  verdict: () => Promise<Verification>,
  start: () => Promise<Verification>,
): Promise<void> {
  const first = await verdict();
  made.verdict = first;
  const run = keep(state, made, "verdict", first);
  if (!needsStart(made.runs, terms)) return;
  const again = cellRun(state, await verdict());
  made.runs.verdict = mergeRetries(made.runs.baseline, run, again);
  if (needsStart(made.runs, terms)) await measureStart(state, made, start);
}

export async function measureStart(
  state: Judged,
  made: Made,
  start: () => Promise<Verification>,
): Promise<CellRun> {
  return made.runs.start ?? keep(state, made, "start", await start());
}

/** Adds a run from a clean room, with its cell for the receipt. */
export function keep(
  state: Judged,
  { runs, cells }: Made,
  name: "verdict" | "start" | "counterfactual",
  made: Verification,
): CellRun {
  const run = cellRun(state, made);
  runs[name] = run;
  cells[name] = cellOf(made, "clean_room");
  return run;
}

/** Whether the verdict alone, without the counterfactual, already fails. */
export function verdictFails(runs: SquareRuns, terms: SquareTerms): boolean {
  return judgeSquare(runs, { ...terms, expectUnchanged: true }).objections.length > 0;
}

export function turnedGreen(before: CellRun | null, after: CellRun | null): string[] {
  return Object.keys(after?.tests ?? {}).filter(
    (id) => after?.tests[id] === "passed" && before?.tests[id] !== "passed",
  );
}

/** A run in a room of its own, which is `cwd`. */
export interface RoomRun {
  cwd: string;
  run: Verification;
}

/**
 * Whether these tests use nothing of the project but some files. Two runs are compared: `whole`, and `alone`, in which
 * every other file of the start that may be tested is empty. They have to give the same results and messages, and at
 * least one pass. A helper fails this, because it needs the code that is tested.
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

/** Every other file of the start that may be tested, as an empty text. */
export function emptiedOthers(
  paths: readonly string[],
  files: readonly string[],
  testFiles: readonly string[],
): Map<string, string> {
  const kept = new Set([...files, ...testFiles]);
  const others = paths.filter((path) => !kept.has(path) && mayBeTested(path));
  return new Map(others.map((path) => [path, ""]));
}
