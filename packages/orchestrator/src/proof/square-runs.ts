import {
  type CellRun,
  judgeSquare,
  needsStart,
  type Square,
  type SquareRuns,
  type SquareTerms,
  type Verification,
} from "@ccw-loop/core";
import { cellOf, cellRun, type Judged, mergeRetries } from "./cells.ts";

/** The runs as they are made, with their cells for the receipt. */
export interface Made {
  runs: SquareRuns;
  cells: Square["cells"];
  /** The verdict as the runner told it. */
  verdict?: Verification;
}

/** For one more try: what it measures is kept only where it is taken over. */
export function copyOf({ runs, cells }: Made): Made {
  return { runs: { ...runs }, cells: { ...cells } };
}

/** The verdict; a second time, and the start in the room, where it says no to what was green in the baseline. */
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

/** Takes in a run that was made in a clean room. */
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

/** Whether the verdict alone says no. */
export function verdictFails(runs: SquareRuns, terms: SquareTerms): boolean {
  return judgeSquare(runs, { ...terms, expectUnchanged: true }).objections.length > 0;
}

/** Tests that pass now and did not. */
export function turnedGreen(before: CellRun | null, after: CellRun | null): string[] {
  return Object.keys(after?.tests ?? {}).filter(
    (id) => after?.tests[id] === "passed" && before?.tests[id] !== "passed",
  );
}
