import {
  type Cell,
  type CellRun,
  type CheckOptions,
  type Checkout,
  type CommandRun,
  type FileChange,
  fileOfTest,
  judgeSquare,
  mergeRuns,
  needsCounterfactual,
  needsStart,
  type Objection,
  objectionOf,
  rolesOf,
  type Square,
  type SquareRuns,
  type SquareTerms,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import {
  areAlike,
  baselineCell,
  baselineRun,
  cellOf,
  cellRun,
  isTest,
  type Judged,
  mergeRetries,
  withReason,
} from "./cells.ts";
import {
  type Overlay,
  objectionToPackages,
  type Rooms,
  runInRoom,
  runOptions,
  type SquareDeps,
  type StartAndPresent,
} from "./rooms.ts";
import {
  changedInSourceTests,
  factsOf,
  graftedTests,
  instrumentationLeft,
  judgingFiles,
  readVersions,
  termsOf,
} from "./square-files.ts";

/** How many witnesses are kept by name. */
const WITNESSES_KEPT = 200;

/** The runs as they are made, with their cells for the receipt. */
interface Made {
  runs: SquareRuns;
  cells: Square["cells"];
  /** The verdict as the runner told it. */
  verdict?: Verification;
}

interface Asked {
  plan: VerifyPlan;
  ends: StartAndPresent;
  /** What the loop itself changed between the ends. */
  changes: readonly FileChange[];
  /** What others changed meanwhile. Sources are in every room as they are now; what may be tests is in none unless the verdict says no without it. */
  outside: readonly FileChange[];
  rooms: Rooms;
  /** Runs of the present, at least one. */
  present: readonly Verification[];
  presentRanIn: Cell["where"];
  /** A run of the start in a room, where there is one already. */
  start?: Verification;
  /** Whether what lies outside of the project may not be what it was at the baseline. */
  surroundingsChanged: boolean;
  /** Objections to the work as a whole. */
  objections: readonly Objection[];
}

/**
 * Runs the start's tests with the present sources, and what else the judgement needs, in clean rooms.
 * Throws `invalid_input` where a room cannot be made, `verify_unavailable` where its tests cannot be started.
 */
export async function runSquare(
  deps: SquareDeps,
  state: Judged,
  asked: Asked,
): Promise<{ square: Square; objections: Objection[] }> {
  const { plan, ends, changes, rooms, present, outside } = asked;
  const texts = await readVersions(deps, ends, [...changes, ...outside]);
  const facts = await factsOf(deps, state, { ends, texts, present });
  const roles = rolesOf(changes, facts);
  const theirs = rolesOf(outside, facts);
  const externalSources = [...theirs.sources, ...theirs.both, ...theirs.allowed];
  const externalTests = [...theirs.tests, ...theirs.doubtful];
  let sources = [...roles.sources, ...roles.both, ...roles.allowed];
  let others = [...roles.tests, ...roles.doubtful, ...roles.allowed];
  const terms = termsOf(state, {
    texts,
    present,
    changes: [...changes, ...outside],
    testsChanged: others.length + roles.both.length + theirs.tests.length > 0,
    surroundingsChanged:
      asked.surroundingsChanged || externalSources.length + theirs.doubtful.length > 0,
  });
  const overlay = (paths: readonly string[], more?: Overlay["texts"]): Overlay => ({
    commit: ends.present.commit,
    paths: [...paths, ...externalSources],
    ...(more ? { texts: more } : {}),
  });
  const run = async (from: Overlay) => runInRoom(deps, await rooms.make(from), plan);
  const last = present.at(-1) as Verification;
  const presentRun = {
    ...cellRun(state, last),
    tests: {
      ...cellRun(state, last).tests,
      ...mergeRuns(present.map(({ tests }) => tests)).states,
    },
  };
  const made: Made = {
    runs: {
      baseline: baselineRun(state),
      present: presentRun,
      verdict: null,
      start: asked.start ? cellRun(state, asked.start) : null,
      counterfactual: null,
    },
    cells: {
      baseline: baselineCell(state),
      start: asked.start ? cellOf(asked.start, "clean_room") : null,
      verdict: null,
      counterfactual: null,
      present: cellOf(last, asked.presentRanIn),
    },
  };

  await measureVerdict(
    state,
    made,
    terms,
    () => run(overlay(sources)),
    () => run(overlay([])),
  );
  const doubtfulObjections: Objection[] = [];
  const doubtfulPaths = [...roles.doubtful, ...externalTests];
  if (doubtfulPaths.length > 0 && verdictFails(made.runs, terms)) {
    const second: Made = { runs: { ...made.runs }, cells: { ...made.cells } };
    const paths = [...sources, ...doubtfulPaths];
    await measureVerdict(
      state,
      second,
      terms,
      () => run(overlay(paths)),
      () => run(overlay([])),
    );
    if (!verdictFails(second.runs, terms)) {
      Object.assign(made, second);
      // Files that change nothing by themselves have no part in how it is tested.
      const isTried = doubtfulPaths.every((path) => roles.tried.includes(path));
      const before = isTried ? await measureStart(state, made, () => run(overlay([]))) : null;
      if (before && areAlike(before, cellRun(state, await run(overlay(doubtfulPaths))))) {
        sources = paths;
        others = [...roles.tests, ...roles.allowed];
      } else doubtfulObjections.push(doubtfulObjection(doubtfulPaths));
    }
  }
  if (needsCounterfactual(made.runs, terms)) {
    const tests = [...others, ...externalTests];
    const counterfactual = await run(overlay(tests, graftedTests(roles.both, texts)));
    made.runs.counterfactual = cellRun(state, counterfactual);
    made.cells.counterfactual = cellOf(counterfactual, "clean_room");
  }
  const { objections, witnesses, in_place, remarks } = judgeSquare(made.runs, terms);
  const inside = changedInSourceTests([...roles.both, ...theirs.both], texts);
  const missing = objections.some(({ kind }) => kind === "verdict") ? rooms.missing() : [];
  const packages = missing.length > 0 ? [objectionToPackages(missing)] : [];
  const left = instrumentationLeft(texts);
  const said = objections.map((one) => withReason(one, made.verdict));
  const found = [
    ...asked.objections,
    ...said,
    ...doubtfulObjections,
    ...inside,
    ...left,
    ...packages,
  ];
  const checkedWith = (tests: readonly string[], green: CellRun | null) =>
    checked(deps, plan, {
      ...{ rooms, green, present: last },
      overlay: (of) => overlay(of === "start" ? tests : [...sources, ...tests]),
      sources: sources.filter((path) => texts.get(path)?.after !== null),
      changed: [...changes, ...outside].map(({ path }) => path),
      judging: (paths) => judgingFiles(deps, state, { ends, present }, paths),
    });
  const results = found.length > 0 ? [] : await checkedWith([], made.runs.verdict);
  const isRefused = results.some(({ objections: all }) => all.length > 0);
  // What is new is asked for by new tests alone.
  if (found.length === 0 && !isRefused && others.length > 0) {
    results.push(...(await checkedWith(others, presentRun)));
  }
  const square: Square = {
    start: { tree: ends.start.tree, commit: ends.start.commit },
    present: { tree: ends.present.tree, commit: ends.present.commit },
    ...{ sources, tests: roles.tests },
    doubtful: roles.doubtful.filter((path) => !sources.includes(path)),
    outside: outside.map(({ path }) => path),
    cells: made.cells,
    witnesses: witnesses.slice(0, WITNESSES_KEPT),
    ...{ in_place, remarks },
    checks: results.map(({ check }) => check),
  };
  return { square, objections: [...found, ...results.flatMap((one) => one.objections)] };
}

/** The verdict; a second time, and the start in the room, where it says no to what was green in the baseline. */
async function measureVerdict(
  state: Judged,
  made: Made,
  terms: SquareTerms,
  verdict: () => Promise<Verification>,
  start: () => Promise<Verification>,
): Promise<void> {
  const first = await verdict();
  made.verdict = first;
  made.runs.verdict = cellRun(state, first);
  made.cells.verdict = cellOf(first, "clean_room");
  if (!needsStart(made.runs, terms)) return;
  made.runs.verdict = mergeRetries(
    made.runs.baseline,
    made.runs.verdict,
    cellRun(state, await verdict()),
  );
  if (needsStart(made.runs, terms)) await measureStart(state, made, start);
}

async function measureStart(
  state: Judged,
  { runs, cells }: Made,
  start: () => Promise<Verification>,
): Promise<CellRun> {
  if (runs.start !== null) return runs.start;
  const room = await start();
  runs.start = cellRun(state, room);
  cells.start = cellOf(room, "clean_room");
  return runs.start;
}

/** Whether the verdict alone says no. */
function verdictFails(runs: SquareRuns, terms: SquareTerms): boolean {
  return judgeSquare(runs, { ...terms, expectUnchanged: true }).objections.length > 0;
}

function doubtfulObjection(paths: readonly string[]): Objection {
  const message = `The start's tests pass only with changes of files that may belong to the tests or to how they are run: ${paths.slice(0, 5).join(", ")}.`;
  return { ...objectionOf("doubtful", [], message), path: paths[0] ?? "" };
}

/** A known runner places its tests, whatever it prints. */
function placesNoTest({ report, runner }: CommandRun): boolean {
  return report === null || (report === "tap" && runner == null);
}

async function checked(
  deps: SquareDeps,
  plan: VerifyPlan,
  about: {
    rooms: Rooms;
    present: Verification;
    overlay: (sources: "start" | "present") => Overlay;
    sources: readonly string[];
    changed: readonly string[];
    green: CellRun | null;
    judging: CheckOptions["judging"];
  },
) {
  const files = Object.keys(about.present.test_files);
  const green = Object.entries(about.green?.tests ?? {})
    .filter(([id, status]) => status === "passed" && isTest(id, about.present.commands))
    .map(([id]) => ({ id, file: fileOfTest(id, files) }));
  return deps.verifier.check(plan, {
    async room(sources): Promise<Checkout> {
      const from = about.overlay(sources);
      const without = about.changed.filter((path) => !from.paths.includes(path));
      return { ...(await about.rooms.make(from)), without };
    },
    ...{ sources: about.sources, judging: about.judging },
    ...{ green, unplaced: about.present.commands.filter(placesNoTest).map((one) => one.command) },
    ...runOptions(deps),
  });
}
