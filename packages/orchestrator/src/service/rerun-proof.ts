import {
  type Baseline,
  type Cell,
  isLoopError,
  isOfReview,
  judgeRuns,
  type Receipt,
  type ReceiptCheck,
  type ReceiptProblem,
  type Square,
  TESTS_KEPT,
  testStates,
  type Verification,
  type VerifyPlan,
} from "@ccw-loop/core";
import { assertingFiles } from "../proof/baseline.ts";
import { baselineRun, cellRun, type Judged } from "../proof/cells.ts";
import { inCleanRooms, type Rooms, runInRoom, type SquareDeps } from "../proof/rooms.ts";
import { runSquare } from "../proof/square.ts";
import { locateSquareFiles, problem, type SquareFiles } from "./locate-square-files.ts";

export interface Claim {
  receipt: Receipt;
  /** The baseline that the receipt was judged beside. */
  baseline: Baseline | undefined;
  /** Keys of objections that the operator accepted. */
  accepted: readonly string[];
  /** The operator's command, or one that we recorded; else the one that is found in the files of the start. */
  command: string | undefined;
  cwd: string;
  /** Whether the files of the folder are to be those that were tested. */
  isThere: boolean;
  /** What is installed has to be what it was at the baseline, as the manifest of that time says. */
  needsInstalled: boolean;
  loop: string;
}

type Proof = Omit<ReceiptCheck, "receipt">;

/** How often the present is run at most: a test that fails may be flaky. */
const PRESENT_RUNS = 3;

/** Runs the square of a receipt again, in clean rooms of the files that it names. */
export async function rerunProof(deps: SquareDeps, claim: Claim): Promise<Proof> {
  const { receipt, baseline } = claim;
  const { square } = receipt;
  if (!receipt.passed) {
    return ended([problem("result", `It proves nothing: ${receipt.reason}`)]);
  }
  if (!square || !baseline) {
    const [objection] = receipt.objections;
    const why = objection?.message ?? "Work was open when the tests passed.";
    return ended([problem("result", `The receipt has no square of runs: ${why}`)]);
  }
  const found = await locateSquareFiles(deps.workspace, square, claim);
  if ("problem" in found) return ended([found.problem]);
  try {
    return await inRooms(deps, { ...claim, baseline, square }, found);
  } catch (error) {
    if (!isLoopError(error, "invalid_input", "verify_unavailable")) throw error;
    return ended([problem("missing", `The tests cannot be run here: ${error.message}`)]);
  } finally {
    await found.forget();
  }
}

type Full = Claim & { baseline: Baseline; square: Square };

async function inRooms(deps: SquareDeps, claim: Full, found: SquareFiles): Promise<Proof> {
  const start = found.ends.start.commit;
  const { needsInstalled, baseline } = claim;
  const measure = (installed: string | undefined) =>
    inCleanRooms(deps, { start, installed }, (rooms) => measureAgain(deps, claim, found, rooms));
  try {
    return await measure(baseline.installed);
  } catch (error) {
    const isOther = baseline.installed !== undefined && !needsInstalled;
    if (!isOther || !isLoopError(error, "invalid_input")) throw error;
    return measure(undefined);
  }
}

async function measureAgain(
  deps: SquareDeps,
  claim: Full,
  { ends, changes, outside }: SquareFiles,
  rooms: Rooms,
): Promise<Proof> {
  const { receipt, command, square: before } = claim;
  const others = outside.map(({ path }) => path);
  const room = await rooms.make({ commit: ends.present.commit, paths: others });
  const plan = await deps.verifier.detect(room.cwd, command || undefined);
  if (!plan) {
    const message = "No test command was found in the files of the start. Give it with --command.";
    return ended([problem("missing", message)]);
  }
  const start = await runInRoom(deps, room, plan);
  const settings = receipt.terms ?? {};
  const recorded: Judged = { settings, baseline: claim.baseline };
  const asRecorded = plan.command === claim.baseline.command;
  if (asRecorded && baselineRun(recorded).trusted && !cellRun(recorded, start).trusted) {
    const couldNever = before.cells.start !== null;
    const message = `The tests of the start cannot be run here as they were: ${start.reason}`;
    if (!couldNever) return ended([problem("missing", message)]);
  }
  const judged: Judged = {
    settings,
    baseline: rebuildBaseline(claim.baseline, start, { isSameCommand: asRecorded, cwd: room.cwd }),
  };
  const paths = changes.map(({ path }) => path);
  const present = await presentRuns(deps, claim, judged, plan, () =>
    rooms.make({ commit: ends.present.commit, paths: [...paths, ...others] }),
  );
  const { square, objections } = await runSquare(deps, judged, {
    ...{ plan, ends, changes, outside, rooms, start, objections: [] },
    present: present.runs,
    presentRanIn: present.where,
  });
  const accepted = new Set(claim.accepted);
  // What a reviewer said is no run, and stands until a person accepts it.
  const all = [...objections, ...receipt.objections.filter(isOfReview)];
  const open = all.filter(({ key }) => !accepted.has(key));
  const objected = open.map(({ message, tests }) => problem("result", message, tests));
  return { ...ended([...present.problems, ...objected]), square };
}

interface Present {
  runs: Verification[];
  where: Cell["where"];
  problems: ReceiptProblem[];
}

/** The present tests with the present sources: in a room, and in the folder itself where some of them can run only there. */
async function presentRuns(
  deps: SquareDeps,
  { receipt, square, accepted, isThere, cwd }: Full,
  judged: Judged,
  plan: VerifyPlan,
  room: () => ReturnType<Rooms["make"]>,
): Promise<Present> {
  const known = new Set(accepted);
  const set_aside = receipt.objections
    .filter(({ key, kind }) => kind === "owed" && known.has(key))
    .flatMap(({ tests = [] }) => tests);
  const tryIn = async (where: Cell["where"], run: () => Promise<Verification>) => {
    const runs: Verification[] = [];
    for (;;) {
      runs.push(await run());
      const verdict = judgeRuns({ ...judged, skill_state: { set_aside } }, runs);
      if (verdict.doubtful && runs.length < PRESENT_RUNS) continue;
      const { passed, reason, comparison } = verdict;
      const message = `The present tests do not pass: ${reason}`;
      const details = [...comparison.new_failures, ...comparison.owed];
      return { runs, where, problems: passed ? [] : [problem("result", message, details)] };
    }
  };
  const checkout = await room();
  const inRoom = await tryIn("clean_room", () => runInRoom(deps, checkout, plan));
  if (inRoom.problems.length === 0 || !isThere || square.in_place.length === 0) return inRoom;
  const { verifier, signal, timeoutMs, onOutput } = deps;
  return tryIn("in_place", () => verifier.verify(plan, { cwd, signal, timeoutMs, onOutput }));
}

/** What these problems come to: where something is missing and nothing else is wrong, nobody knows. */
export function ended(problems: ReceiptProblem[]): Proof {
  const isMissing = problems.every(({ kind }) => kind === "missing");
  const result = problems.length === 0 ? "stands" : isMissing ? "unknown" : "falls";
  return { result, problems, square: null };
}

/**
 * The start as a new run in a clean room shows it, for the baseline of the square. Where the same command was run, what
 * passed in the project and does not pass in the room stays green, as it was recorded: it cannot be run there, and is judged
 * in place. A red test is taken from the new run alone.
 */
function rebuildBaseline(
  recorded: Baseline,
  run: Verification,
  { isSameCommand, cwd }: { isSameCommand: boolean; cwd: string },
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
    asserting_files: assertingFiles(run, cwd),
  };
}
