import { type Random, random } from "../src/random.ts";
import { stopCodex } from "./codex.ts";
import { type Ground, newGround, type Starter } from "./ground.ts";
import { killLoop } from "./killed.ts";
import { KINDS } from "./nested.ts";
import { type Stop, stopLoop } from "./stopped.ts";

/** The ways in which a loop comes to its end here. */
const WAYS = {
  paused: (ground, luck) => stopLoop(ground, luck),
  killed: (ground, luck) => killLoop(ground, luck, { guardian: false }),
  "killed with its guardian": (ground, luck) => killLoop(ground, luck, { guardian: true }),
  "Codex paused": stopCodex,
} satisfies Record<string, (ground: Ground, luck: Random) => Promise<Stop>>;

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
  const luck = random(seed);
  const results: Result[] = [];
  for (let done = 1; done <= stops; done++) {
    const way = chosenWay(done, codexEvery);
    const starter =
      way === "Codex paused" ? "agent" : luck.pick<Starter>(["agent", "agent", "tests"]);
    const kind = luck.pick(KINDS);
    using ground = newGround(starter, kind, luck);
    const result = { way, starter, kind, ...(await WAYS[way](ground, luck)) };
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
  const times = results.flatMap(({ ms }) => (ms === null ? [] : [ms])).sort((a, b) => a - b);
  const found = times[Math.min(times.length - 1, Math.floor(times.length * part))];
  return found === undefined ? "-" : found.toFixed(0);
}
