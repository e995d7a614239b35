import {
  isLoopError,
  type LoopState,
  type Objection,
  objectionOf,
  type Square,
  type VerifyPlan,
} from "@ccw-loop/core";
import type { MadeCheckpoint } from "../run/checkpoint.ts";
import type { RunContext } from "../run/context.ts";
import { changesBetween, startOf, startTree } from "./changes.ts";
import { objectionsToNoChange } from "./objections.ts";
import { inCleanRooms, objectionToWriting, squareDepsOf } from "./rooms.ts";
import type { ProofRun } from "./run-tests.ts";
import { runSquare } from "./square.ts";

/** The square, or null with an objection that says why the four runs could not be made. */
export interface Measured {
  square: Square | null;
  objections: Objection[];
}

interface Proof {
  ctx: RunContext;
  state: LoopState;
  plan: VerifyPlan;
  proof: ProofRun;
  kept: MadeCheckpoint | null;
  signal: AbortSignal;
}

/**
 * Measures the square of a loop whose present tests pass. A file that cannot be read or laid over the start becomes an
 * objection, never a pass.
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
  const from = startTree(state);
  const own = from === start.tree ? changes : await changesBetween(ctx, from, kept.checkpoint.tree);
  if (own === null) {
    return unmeasured(
      "start_unknown",
      "The files as they would be without the work of the loop are not kept any more, so nothing shows what it did.",
    );
  }
  const mine = new Set(own.map(({ path }) => path));
  const outside = changes.filter(({ path }) => !mine.has(path));
  const deps = squareDepsOf(ctx, state, about.signal);
  const { installed } = state.baseline;
  const changedPackages = async (): Promise<string[]> =>
    installed === undefined ? [] : ctx.workspace.changedInstalled(installed);
  try {
    const changed = await changedPackages();
    const objections = await objectionsToNoChange(ctx, state, about.proof);
    const since = new Date(state.baseline.at);
    const surroundings = await ctx.deps.verifier.surroundings(ctx.cwd, since);
    const base = { start: start.commit, installed, changed, surroundings };
    const measured = await inCleanRooms(deps, base, (rooms) =>
      runSquare(deps, state, {
        plan: about.plan,
        ends: { start, present: kept.checkpoint },
        ...{ changes: own, outside, rooms, objections },
        present: about.proof.runs,
        presentRanIn: "in_place",
        surroundings,
      }),
    );
    const written = (await changedPackages()).filter((path) => !changed.includes(path));
    if (written.length > 0) measured.objections.push(objectionToWriting(written));
    return measured;
  } catch (error) {
    if (!isLoopError(error, "invalid_input", "verify_unavailable")) throw error;
    return unmeasured("clean_room", `The tests could not be run in a clean room: ${error.message}`);
  }
}

function unmeasured(kind: string, message: string): Measured {
  return { square: null, objections: [objectionOf(kind, [], message)] };
}
