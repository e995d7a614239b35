import { linearize, loopModel } from "../../../packages/testkit/src/linearizable/linearize.ts";
import { tooFew } from "../../../quality/too-few.ts";
import { bundleWorker } from "../bundle.ts";
import { onGround } from "../ground.ts";
import { random } from "../random.ts";
import { CALLS_PER_LOOP, type Call, type History, KILLED_IN, recordHistories } from "./record.ts";

export interface Linearizability {
  calls: number;
  loops: number;
  /** Calls of killed processes, which may or may not have happened. */
  unknown: number;
  refused: number;
  /** Calls that were under way while another process's was. */
  atOnce: number;
  /** Why the run does not count: what happened too seldom, a sentence each. */
  missing: string[];
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
  const counts = {
    unknown: all.filter(({ returned }) => returned === null).length,
    refused: all.filter(({ answer }) => answer && "refused" in answer).length,
    atOnce: histories.reduce((sum, history) => sum + callsAtOnce(history.calls), 0),
  };
  return {
    ...{ calls: all.length, loops, ...counts },
    missing: missingIn(counts, all.length),
    violations: histories.flatMap(violationIn),
  };
}

function missingIn(
  { unknown, refused, atOnce }: Record<"unknown" | "refused" | "atOnce", number>,
  calls: number,
): string[] {
  const needs = [
    {
      what: "process killed before its answer came",
      count: unknown,
      onceIn: KILLED_IN * CALLS_PER_LOOP,
    },
    { what: "command refused by the rules", count: refused, onceIn: 10 },
    { what: "command while another process waits for its answer", count: atOnce, onceIn: 2 },
  ];
  return tooFew(needs, calls, "calls");
}

function callsAtOnce(calls: readonly Call[]): number {
  const answered = calls.flatMap(({ process, called, returned }) =>
    returned === null ? [] : [{ process, called, returned }],
  );
  return answered.filter((one) =>
    answered.some(
      (other) =>
        other.process !== one.process && other.called < one.returned && one.called < other.returned,
    ),
  ).length;
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
