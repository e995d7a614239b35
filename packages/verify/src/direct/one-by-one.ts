import { join } from "node:path";
import { delayOf, marked } from "./direct-start.ts";

/** So many programs wait beside each other, each for its turn. */
const BESIDE = 8;

/** When a program may load its module, and when it is its turn: both are files that come to be. */
export interface Turn {
  load: string;
  turn: string;
  /** What it makes when it has loaded its module: so the next one may. */
  loaded: string;
}

/** How long each of so many programs waits at least, in milliseconds: they do so beside each other. */
export const waitOf = (programs: number): number => delayOf(programs, 2 * BESIDE);

export function turnOf(folder: string, n: number): Turn {
  const [load, turn, loaded] = [`load${n}`, `turn${n}`, `load${n + 1}`];
  return { load: join(folder, load), turn: join(folder, turn), loaded: join(folder, loaded) };
}

/**
 * A shell script that starts programs beside each other, some at a time, and lets them go one by one, with a mark in front
 * of what each prints. They load their modules one by one as well, before any of them has its turn.
 */
export function inTurns(commands: readonly string[], folder: string, token: string): string {
  const begin = (n: number) => {
    const { load, turn } = turnOf(folder, n);
    return n < commands.length ? marked(token, n, `: > '${load}'; : > '${turn}'`) : ":";
  };
  // The members of a pipeline belong to the terminal alike, and none of them ignores its user; each has its words from there.
  const lane = (n: number) => {
    const { turn, loaded } = turnOf(folder, n);
    const run = `${commands[n]} <&3 >&4 3<&- 4>&-`;
    const wait = `until [ -e '${turn}' ]; do sleep 0.05; done`;
    return `{ ${run}; : > '${loaded}'; ${wait}; { ${begin(n + 1)}; } >&4; }`;
  };
  const lanes = commands.map((_, n) => lane(n));
  const batches = Array.from({ length: Math.ceil(lanes.length / BESIDE) }, (_, n) =>
    lanes.slice(n * BESIDE, (n + 1) * BESIDE).join(" |\n"),
  );
  return ["exec 3<&0 4>&1", begin(0), ...batches].join("\n");
}
