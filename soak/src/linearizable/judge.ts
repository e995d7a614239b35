import { linearize } from "../../../packages/testkit/src/linearizable/check.ts";
import { loopModel } from "../../../packages/testkit/src/linearizable/loop-model.ts";
import { bundleWorker } from "../bundle.ts";
import { onGround } from "../ground.ts";
import { random } from "../random.ts";
import { CALLS_PER_LOOP, type Call, type History, recordHistories } from "./record.ts";

export interface Linearizability {
  calls: number;
  loops: number;
  /** Calls of killed processes, which may or may not have happened. */
  unknown: number;
  refused: number;
  /** What does not fit the state machine in any order, told in lines. */
  violations: string[];
}

/** Has at least so many commands sent at once, and looks for an order in which they all make sense. */
export async function linearizability(calls: number, seed: number): Promise<Linearizability> {
  using bundle = await bundleWorker();
  const loops = Math.ceil(calls / CALLS_PER_LOOP);
  const { result: histories } = await onGround(bundle.program, (ground) =>
    recordHistories(ground, loops, random(seed)),
  );
  const all = histories.flatMap((history) => history.calls);
  return {
    calls: all.length,
    loops,
    unknown: all.filter(({ returned }) => returned === null).length,
    refused: all.filter(({ answer }) => answer && "refused" in answer).length,
    violations: histories.flatMap(violationIn),
  };
}

/** Where no call fits any more; nothing when all of them do. */
export function violationIn({ initial, calls }: History): string[] {
  const verdict = linearize(calls, loopModel(initial));
  if (verdict.linearizable) return [];
  const { longest, stuck } = verdict;
  const told = (list: readonly Call[]) => list.map(lineOf).join("; ");
  return [`${initial.loop_id}: behind ${told(longest.slice(-5))} fits none of ${told(stuck)}`];
}

function lineOf({ process, input, answer }: Call): string {
  const said =
    answer === undefined ? "?" : "status" in answer ? answer.status : `refused (${answer.refused})`;
  return `${process} ${input.type} → ${said}`;
}

/** The last line of a run. */
export function linearizableLine({ calls, loops, unknown, violations }: Linearizability): string {
  return `operations: ${calls}, loops: ${loops}, unknown: ${unknown}, violations: ${violations.length}`;
}
