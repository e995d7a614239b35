import { type Random, seededRandom } from "@ccw-loop/testkit";
import { percentile } from "../../../support/figures.ts";
import { unmetNeeds } from "../../../support/runs.ts";
import { type Instant, KINDS, newStopProject, type Starter, type StopProject } from "./project.ts";
import { killLoop, type Stop, stopCodex, stopLoop } from "./ways.ts";

/** The ways in which a loop comes to its end here. */
const WAYS = {
  paused: stopLoop,
  killed: (project, random, instant) => killLoop(project, random, { guardian: false, instant }),
  "killed with its guardian": (project, random, instant) =>
    killLoop(project, random, { guardian: true, instant }),
  "Codex paused": stopCodex,
} satisfies Record<
  string,
  (project: StopProject, random: Random, instant: Instant) => Promise<Stop>
>;

type Way = keyof typeof WAYS;

export interface Result extends Stop {
  way: Way;
  starter: Starter;
  kind: string;
}

export interface StopsOptions {
  stops: number;
  seed: number;
  /** Every so many stops are of the real Codex; 0 for none. */
  codexEvery: number;
  onResult?: (result: Result, done: number) => void;
}

/** Stops so many loops in random ways; one after the other, so that the times are those of one stop. */
export async function stopLoops({
  stops,
  seed,
  codexEvery,
  onResult,
}: StopsOptions): Promise<Result[]> {
  const random = seededRandom(seed);
  const results: Result[] = [];
  const times = new Map<string, number>();
  for (let done = 1; done <= stops; done++) {
    const way = chosenWay(done, codexEvery);
    const starter = chosenStarter(done, way);
    const before = times.get(way + starter) ?? 0;
    times.set(way + starter, before + 1);
    // Every kind of nesting has its turn, and every fourth stop may come before anything is nested.
    const kind = KINDS[(before + random.int(0, 1) * 4) % KINDS.length] ?? "everything";
    const instant = before % 4 === 3 ? "any" : "running";
    using project = newStopProject(starter, kind, random);
    const result = { way, starter, kind, ...(await WAYS[way](project, random, instant)) };
    results.push(result);
    onResult?.(result, done);
  }
  return results;
}

/** Of ten stops, four are kills. */
function chosenWay(number: number, codexEvery: number): Way {
  if (codexEvery > 0 && number % codexEvery === 0) return "Codex paused";
  if (number % 5 === 3) return "killed";
  return number % 5 === 4 ? "killed with its guardian" : "paused";
}

/** Of three stops of a kind, one comes while tests run. */
function chosenStarter(number: number, way: Way): Starter {
  return way !== "Codex paused" && Math.floor(number / 5) % 3 === 1 ? "tests" : "agent";
}

/** Why a run does not count: what happened too seldom, a sentence each. */
export function missingIn(results: readonly Result[], codexEvery: number): string[] {
  const ways = (["paused", "killed", "killed with its guardian"] as const).flatMap((way) =>
    (["agent", "tests"] as const).map((starter) => ({ way, starter, onceIn: CYCLE * 2 })),
  );
  const codex = { way: "Codex paused", starter: "agent", onceIn: codexEvery * 2 } as const;
  const needs = [...ways, ...(codexEvery > 0 ? [codex] : [])].map(({ way, starter, onceIn }) => {
    const some = results.filter((one) => one.way === way && one.starter === starter);
    const count = some.filter(({ running }) => running > 0).length;
    return { what: `${way} while processes of ${NAMES[starter]} ran`, count, onceIn };
  });
  const interrupted = results.filter(({ way, ms }) => way === "paused" && ms !== null).length;
  const paused = { what: "pause that cut an action off", count: interrupted, onceIn: 4 };
  return unmetNeeds([...needs, paused], results.length, "stops");
}

/** After so many stops each way had its turn with an agent and with tests. */
const CYCLE = 15;

/** One line per way, and the one that a machine reads; its time is that of agent turns. */
export function figures(results: readonly Result[]): string[] {
  const nameOf = ({ way, starter }: Result) => `${way}, in ${NAMES[starter]}`;
  const lines = [...new Set(results.map(nameOf))].sort().map((name) => {
    const some = results.filter((result) => nameOf(result) === name);
    const [p50, p99] = [share(some, 0.5), share(some, 0.99)];
    return `${name.padEnd(42)} ${some.length} stops, until nothing was left: p50 ${p50} ms, p99 ${p99} ms`;
  });
  const orphans = results.reduce((sum, { survivors }) => sum + survivors, 0);
  const turns = results.filter(({ way, starter }) => way === "paused" && starter === "agent");
  return [...lines, `stops: ${results.length}, orphans: ${orphans}, p99: ${share(turns, 0.99)} ms`];
}

const NAMES: Readonly<Record<Starter, string>> = { agent: "a turn", tests: "a test run" };

function share(results: readonly Result[], part: number): string {
  const times = results.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  return times.length === 0 ? "-" : percentile(times, part).toFixed(0);
}
