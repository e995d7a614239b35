import {
  type CellRun,
  type Checkout,
  type FileChange,
  fileOfTest,
  isLoopError,
  judgeSquare,
  type LoopState,
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
import { type RunContext, report, scopeOf } from "../run/context.ts";
import { baselineCell, baselineRun, cellOf, cellRun, eitherGreen } from "./cells.ts";
import type { Kept } from "./keep-files.ts";
import { objectionsToIdleness } from "./objections.ts";
import { objectionToPackages, objectionToWriting } from "./packages.ts";
import { cleanRooms, type Ends, type Overlay, type Rooms, runInRoom } from "./rooms.ts";
import type { ProofRun } from "./run-tests.ts";
import { factsOf, graftedTests, readVersions, termsOf, weakenedInside } from "./square-files.ts";
import { changesBetween, startOf, startTree } from "./start.ts";

/** How many witnesses are kept by name. */
const WITNESSES_KEPT = 200;

/** What the four runs came to: no square where they could not be made, and then an objection that says why. */
export interface Measured {
  square: Square | null;
  objections: Objection[];
}

interface Proof {
  ctx: RunContext;
  state: LoopState;
  plan: VerifyPlan;
  proof: ProofRun;
  kept: Kept | null;
  signal: AbortSignal;
}

/**
 * Runs the start's tests with the present sources, and what else the judgement needs, in clean rooms (DESIGN §7).
 * Called when the present is green. Whatever cannot be read or laid over is an objection, never a pass.
 */
export async function measureSquare(about: Proof): Promise<Measured> {
  const { ctx, state, kept } = about;
  const start = startOf(state);
  if (!start || !state.baseline) {
    return unmeasured(
      "start_unknown",
      "How files and tests were when the loop began is not known, so nothing shows what the loop did.",
    );
  }
  if (kept === null || kept.checkpoint.tree !== about.proof.tree_after) {
    return unmeasured(
      "not_kept",
      "The tested files could not be kept, so they cannot be tested in a clean room.",
    );
  }
  const changes = await changesBetween(ctx, start.tree, kept.checkpoint.tree);
  if (changes === null) {
    return unmeasured(
      "start_unknown",
      "The files from when the loop began are not kept any more, so nothing shows what the loop did.",
    );
  }
  const own = await changesBetween(ctx, startTree(state), kept.checkpoint.tree);
  if (own === null) {
    return unmeasured(
      "start_unknown",
      "The files as they would be without the work of the loop are not kept any more, so nothing shows what it did.",
    );
  }
  // What changed from outside is in every room as it is now.
  const mine = new Set(own.map(({ path }) => path));
  const outside = changes.map(({ path }) => path).filter((path) => !mine.has(path));
  const { installed } = state.baseline;
  const changedPackages = async (): Promise<string[]> =>
    installed === undefined ? [] : ctx.workspace.changedInstalled(installed);
  let rooms: Rooms | undefined;
  try {
    const changed = await changedPackages();
    rooms = cleanRooms(ctx, {
      ...{ start: start.commit, installed, outside, changed },
      signal: about.signal,
    });
    const measured = await inRooms(about, { start, present: kept.checkpoint }, own, rooms);
    const written = (await changedPackages()).filter((path) => !changed.includes(path));
    if (written.length > 0) measured.objections.push(objectionToWriting(written));
    return measured;
  } catch (error) {
    if (!isLoopError(error, "invalid_input") && !isLoopError(error, "verify_unavailable"))
      throw error;
    return unmeasured("clean_room", `The tests could not be run in a clean room: ${error.message}`);
  } finally {
    await rooms?.close();
  }
}

/** The runs as they are made, with their cells for the receipt. */
interface Made {
  runs: SquareRuns;
  cells: Square["cells"];
}

async function inRooms(
  about: Proof,
  ends: Ends,
  changes: readonly FileChange[],
  rooms: Rooms,
): Promise<Measured> {
  const { ctx, state, plan, proof, signal } = about;
  const texts = await readVersions(ctx, ends, changes);
  const roles = rolesOf(changes, await factsOf(ctx, state, { ends, texts, proof }));
  const sources = [...roles.sources, ...roles.both, ...roles.allowed];
  const others = [...roles.tests, ...roles.doubtful, ...roles.allowed];
  const terms = termsOf(state, {
    texts,
    proof,
    changes,
    testsChanged: others.length + roles.both.length > 0,
  });
  const overlay = (paths: readonly string[], more?: Overlay["texts"]): Overlay => ({
    commit: ends.present.commit,
    paths,
    ...(more ? { texts: more } : {}),
  });
  const run = async (from: Overlay) => runInRoom(ctx, await rooms.make(from), { plan, signal });
  const last = proof.runs.at(-1) as Verification;
  const presentRun = {
    ...cellRun(state, last),
    tests: {
      ...cellRun(state, last).tests,
      ...mergeRuns(proof.runs.map(({ tests }) => tests)).states,
    },
  };
  const made: Made = {
    runs: {
      baseline: baselineRun(state),
      present: presentRun,
      verdict: null,
      start: null,
      counterfactual: null,
    },
    cells: {
      baseline: baselineCell(state),
      start: null,
      verdict: null,
      counterfactual: null,
      present: cellOf(last, "in_place"),
    },
  };

  await measureVerdict(
    state,
    made,
    terms,
    () => run(overlay(sources)),
    () => run(overlay([])),
  );
  const doubted: Objection[] = [];
  if (roles.doubtful.length > 0 && saysNo(made.runs, terms)) {
    const second: Made = { runs: { ...made.runs }, cells: { ...made.cells } };
    const paths = [...sources, ...roles.doubtful];
    await measureVerdict(
      state,
      second,
      terms,
      () => run(overlay(paths)),
      () => run(overlay([])),
    );
    if (!saysNo(second.runs, terms)) {
      Object.assign(made, second);
      doubted.push(doubtfulObjection(roles.doubtful));
    }
  }
  if (needsCounterfactual(made.runs, terms)) {
    const counterfactual = await run(overlay(others, graftedTests(roles.both, texts)));
    made.runs.counterfactual = cellRun(state, counterfactual);
    made.cells.counterfactual = cellOf(counterfactual, "clean_room");
  }
  const { objections, witnesses, in_place, remarks } = judgeSquare(made.runs, terms);
  const idle = await objectionsToIdleness(ctx, state, proof);
  const missing = objections.some(({ kind }) => kind === "verdict") ? rooms.missing() : [];
  const found = [
    ...idle,
    ...objections,
    ...doubted,
    ...weakenedInside(roles.both, texts),
    ...(missing.length > 0 ? [objectionToPackages(missing)] : []),
  ];
  const results =
    found.length > 0
      ? []
      : await checked(about, {
          rooms,
          overlay: (of) => overlay(of === "start" ? [] : sources),
          sources: sources.filter((path) => texts.get(path)?.after !== null),
          verdict: made.runs.verdict,
        });
  const square: Square = {
    start: { tree: ends.start.tree, commit: ends.start.commit },
    present: { tree: ends.present.tree, commit: ends.present.commit },
    ...{ sources, tests: roles.tests, doubtful: roles.doubtful },
    cells: made.cells,
    witnesses: witnesses.slice(0, WITNESSES_KEPT),
    ...{ in_place, remarks },
    checks: results.map(({ check }) => check),
  };
  return { square, objections: [...found, ...results.flatMap((one) => one.objections)] };
}

/** The verdict; a second time, and the start in the room, where it says no to what was green in the baseline. */
async function measureVerdict(
  state: LoopState,
  made: Made,
  terms: SquareTerms,
  verdict: () => Promise<Verification>,
  start: () => Promise<Verification>,
): Promise<void> {
  const first = await verdict();
  made.runs.verdict = cellRun(state, first);
  made.cells.verdict = cellOf(first, "clean_room");
  if (!needsStart(made.runs, terms)) return;
  made.runs.verdict = eitherGreen(
    made.runs.baseline,
    made.runs.verdict,
    cellRun(state, await verdict()),
  );
  if (!needsStart(made.runs, terms) || made.runs.start !== null) return;
  const room = await start();
  made.runs.start = cellRun(state, room);
  made.cells.start = cellOf(room, "clean_room");
}

/** Whether the verdict alone says no. */
function saysNo(runs: SquareRuns, terms: SquareTerms): boolean {
  return judgeSquare(runs, { ...terms, expectUnchanged: true }).objections.length > 0;
}

function doubtfulObjection(paths: readonly string[]): Objection {
  const message = `The start's tests pass only with changes of files that may belong to the tests or to how they are run: ${paths.slice(0, 5).join(", ")}.`;
  return { ...objectionOf("doubtful", [], message), path: paths[0] ?? "" };
}

async function checked(
  { ctx, plan, signal, proof }: Proof,
  about: {
    rooms: Rooms;
    overlay: (sources: "start" | "present") => Overlay;
    sources: readonly string[];
    verdict: CellRun | null;
  },
) {
  const files = Object.keys(proof.runs.at(-1)?.test_files ?? {});
  const green = Object.entries(about.verdict?.tests ?? {})
    .filter(([, status]) => status === "passed")
    .map(([id]) => ({ id, file: fileOfTest(id, files) }));
  return ctx.deps.verifier.check(plan, {
    room: (sources): Promise<Checkout> => about.rooms.make(about.overlay(sources)),
    sources: about.sources,
    green,
    signal,
    timeoutMs: ctx.deps.verifyTimeoutMs,
    scope: scopeOf(ctx),
    onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
  });
}

function unmeasured(kind: string, message: string): Measured {
  return { square: null, objections: [objectionOf(kind, [], message)] };
}
