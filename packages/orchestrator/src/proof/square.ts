import {
  type Cell,
  type CellRun,
  type FileChange,
  isNewManifest,
  judgeSquare,
  mergeRuns,
  needsCounterfactual,
  type Objection,
  objectionOf,
  rolesOf,
  type Square,
  type Surroundings,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import {
  areAlike,
  baselineCell,
  baselineRun,
  cellOf,
  cellRun,
  greenTests,
  type Judged,
  placesNoTest,
  withReason,
} from "./cells.ts";
import { remarkOnChecks, remarkOnSurroundings } from "./objections.ts";
import {
  type Overlay,
  objectionToPackages,
  objectionToSurroundings,
  type Rooms,
  runInRoom,
  runOptions,
  type SquareDeps,
  type StartAndPresent,
} from "./rooms.ts";
import {
  addedManifests,
  factsOf,
  graftedTests,
  instrumentationLeft,
  judgingFiles,
  lostInSourceTests,
  readVersions,
  termsOf,
} from "./square-files.ts";
import {
  areTestedAlone,
  copyOf,
  emptiedOthers,
  keep,
  type Made,
  measureStart,
  measureVerdict,
  type RoomRun,
  turnedGreen,
  verdictFails,
} from "./square-runs.ts";

const WITNESSES_KEPT = 200;

interface Asked {
  plan: VerifyPlan;
  ends: StartAndPresent;
  /** What the loop itself changed between the ends. */
  changes: readonly FileChange[];
  /**
   * What others changed meanwhile. Every room has their sources as they are now. Their tests are left out of the rooms,
   * unless the verdict fails without them.
   */
  outside: readonly FileChange[];
  rooms: Rooms;
  /** Runs of the present, at least one. */
  present: readonly Verification[];
  presentRanIn: Cell["where"];
  /** A run of the start in a room, where there is one already. */
  start?: Verification;
  /** What lies outside of the project; undefined where the start was run here and now. */
  surroundings?: Surroundings;
  /** Objections to the work as a whole. */
  objections: readonly Objection[];
}

/**
 * Measures the square: runs the tests of the start with the present sources in a clean room, then, where the verdict
 * needs it, the start itself and the present tests with the start's sources. Throws `invalid_input` where a room cannot
 * be made, `verify_unavailable` where its tests cannot be started.
 */
export async function runSquare(
  deps: SquareDeps,
  state: Judged,
  asked: Asked,
): Promise<{ square: Square; objections: Objection[] }> {
  const { plan, ends, changes, rooms, present, outside, surroundings } = asked;
  const texts = await readVersions(deps, ends, [...changes, ...outside]);
  const facts = await factsOf(deps, state, { ends, texts, present });
  const roles = rolesOf(changes, facts);
  const theirs = rolesOf(outside, facts);
  const externalSources = [...theirs.sources, ...theirs.both, ...theirs.allowed];
  const externalTests = [...theirs.tests, ...theirs.doubtful];
  let sources = [...roles.sources, ...roles.both, ...roles.allowed];
  let others = [...roles.tests, ...roles.doubtful, ...roles.allowed];
  const areTestsChanged = () => others.length + roles.both.length + theirs.tests.length > 0;
  const terms = termsOf(state, {
    texts,
    present,
    changes: [...changes, ...outside],
    testsChanged: areTestsChanged(),
    surroundingsChanged:
      surroundings?.changed === true || externalSources.length + theirs.doubtful.length > 0,
  });
  const overlay = (paths: readonly string[], more?: Overlay["texts"]): Overlay => ({
    commit: ends.present.commit,
    paths: [...paths, ...externalSources],
    ...(more ? { texts: more } : {}),
  });
  const runIn = async (from: Overlay): Promise<RoomRun> => {
    const room = await rooms.make(from);
    return { cwd: room.cwd, run: await runInRoom(deps, room, plan) };
  };
  const run = async (from: Overlay) => (await runIn(from)).run;
  // Sources that hold tests have those of the start in them.
  const withStart = graftedTests([...roles.both, ...theirs.both], texts, "after");
  const runStart = () => run(overlay([]));
  const attempt = (into: Made, paths: readonly string[], more: Overlay["texts"] = new Map()) => {
    const laid = new Map([...withStart, ...more]);
    return measureVerdict(state, into, terms, () => run(overlay(paths, laid)), runStart);
  };
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

  const emptiedBeside = async (paths: readonly string[]) =>
    emptiedOthers(await deps.workspace.paths(ends.start.commit), paths, [...facts.testFiles]);

  await attempt(made, sources);
  const doubtfulObjections: Objection[] = [];
  const doubtfulPaths = [...roles.doubtful, ...externalTests];
  const additions = addedManifests(roles.doubtful, texts);
  const newPackages = changes.flatMap(({ path, kind }) =>
    kind === "added" && isNewManifest(path, facts.startPaths) ? [path] : [],
  );
  let manifests: ReadonlyMap<string, string> = new Map();
  if (additions.size > 0 && verdictFails(made.runs, terms)) {
    const second = copyOf(made);
    await attempt(second, [...sources, ...newPackages], additions);
    if (!verdictFails(second.runs, terms)) {
      Object.assign(made, second);
      manifests = additions;
      sources = [...sources, ...newPackages];
      others = others.filter((path) => !additions.has(path) && !newPackages.includes(path));
      terms.testsChanged = areTestsChanged();
    }
  }
  if (doubtfulPaths.length > 0 && verdictFails(made.runs, terms)) {
    const without = made.runs.verdict;
    const second = copyOf(made);
    const paths = [...sources, ...doubtfulPaths];
    await attempt(second, paths);
    if (!verdictFails(second.runs, terms)) {
      Object.assign(made, second);
      // Files that change nothing by themselves have no part in how it is tested.
      const areAll = (of: readonly string[]) => doubtfulPaths.every((path) => of.includes(path));
      const before = areAll(roles.likelySources) ? await measureStart(state, made, runStart) : null;
      const changeNothing = async (start: CellRun) =>
        areAlike(start, cellRun(state, await run(overlay(doubtfulPaths))));
      const areTested = async () => {
        const emptied = await emptiedBeside(doubtfulPaths);
        // Where there is nothing else, nothing else is tested.
        if (emptied.size === 0) return true;
        return areTestedAlone(
          turnedGreen(without, second.runs.verdict),
          () => runIn(overlay([])),
          () => runIn(overlay([], emptied)),
        );
      };
      if (
        (before && (await changeNothing(before))) ||
        (areAll(roles.doubtfulPrograms) && (await areTested()))
      ) {
        sources = paths;
        others = [...roles.tests, ...roles.allowed];
      } else doubtfulObjections.push(doubtfulObjection(doubtfulPaths));
    }
  }
  if (needsCounterfactual(made.runs, terms)) {
    const tests = [...others, ...externalTests];
    const grafted = graftedTests(roles.both, texts, "before");
    const counterfactual = await run(overlay(tests, new Map([...grafted, ...manifests])));
    keep(state, made, "counterfactual", counterfactual);
  }
  const { objections, witnesses, in_place, remarks } = judgeSquare(made.runs, terms);
  const inside = lostInSourceTests([...roles.both, ...theirs.both], texts);
  const missing = objections.some(({ kind }) => kind === "verdict") ? rooms.missing() : [];
  const packages = missing.length > 0 ? [objectionToPackages(missing)] : [];
  // Whether it is for want of what rooms do not show: shown, the same tests pass.
  const passesShown = async (ids: readonly string[], from: Overlay) => {
    if (ids.length === 0 || !surroundings?.newer.length) return false;
    const room = { ...(await rooms.make(from)), surroundings: undefined };
    const { tests } = cellRun(state, await runInRoom(deps, room, plan));
    return ids.some((id) => tests[id] === "passed");
  };
  const red = objections.flatMap(({ kind, tests }) => (kind === "verdict" ? (tests ?? []) : []));
  if (
    (await passesShown(red, overlay(sources, withStart))) ||
    (await passesShown(in_place, overlay([])))
  )
    packages.push(objectionToSurroundings(surroundings as Surroundings));
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
  const changed = [...changes, ...outside].map(({ path }) => path);
  // Their runs are to fail: shown below the others, proven work would look red.
  const { onOutput: _, ...unseen } = runOptions(deps);
  const check = (
    tests: readonly string[],
    green: CellRun | null,
    testTexts?: ReadonlyMap<string, string>,
  ) =>
    deps.verifier.check(plan, {
      async room(of) {
        const laid = new Map([...(testTexts ?? []), ...manifests]);
        const from = of === "start" ? overlay(tests) : overlay([...sources, ...tests], laid);
        const without = changed.filter((path) => !from.paths.includes(path));
        return { ...(await rooms.make(from)), without };
      },
      sources: sources.filter((path) => texts.get(path)?.after !== null),
      judging: (paths) => judgingFiles(deps, state, { ends, present }, paths),
      green: greenTests(green, last),
      unplaced: last.commands.filter(placesNoTest).map((one) => one.command),
      ...unseen,
    });
  const results = found.length > 0 ? [] : await check([], made.runs.verdict, withStart);
  const isRefused = results.some(({ objections: all }) => all.length > 0);
  // What is new is asked for by new tests alone.
  if (found.length === 0 && !isRefused && others.length + withStart.size > 0) {
    results.push(...(await check(others, presentRun)));
  }
  const checks = results.map(({ check }) => check);
  const square: Square = {
    start: { tree: ends.start.tree, commit: ends.start.commit },
    present: { tree: ends.present.tree, commit: ends.present.commit },
    sources: [...sources, ...manifests.keys()],
    tests: roles.tests,
    doubtful: roles.doubtful.filter((path) => !sources.includes(path) && !manifests.has(path)),
    outside: outside.map(({ path }) => path),
    cells: made.cells,
    witnesses: witnesses.slice(0, WITNESSES_KEPT),
    in_place,
    remarks: [...remarks, ...remarkOnSurroundings(surroundings), ...remarkOnChecks(checks)],
    checks,
  };
  return { square, objections: [...found, ...results.flatMap((one) => one.objections)] };
}

function doubtfulObjection(paths: readonly string[]): Objection {
  const message = `The start's tests pass only with changes of files that may belong to the tests or to how they are run: ${paths.slice(0, 5).join(", ")}.`;
  return { ...objectionOf("doubtful", [], message), path: paths[0] ?? "" };
}
