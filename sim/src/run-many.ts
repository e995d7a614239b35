import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { addTo, type Tally } from "./judge/events.ts";
import type { Verdict } from "./run-seed.ts";

export type Bad = Pick<Verdict, "seed" | "violations">;

/** What a worker tells about a piece of its seeds. */
export interface Piece {
  seeds: number;
  commits: number;
  tally: Tally;
  bad: Bad[];
}

export interface Outcome {
  /** How many seeds were run. */
  seeds: number;
  commits: number;
  tally: Tally;
  violations: number;
  /** In the order of their seeds. */
  bad: Bad[];
}

const PIECE = 10;
/** A thread ends after so many pieces: what the engine keeps of thousands of simulated machines goes with it. */
const PIECES_PER_THREAD = 100;

export interface RunOptions {
  /** Told how many seeds are done, and how many violations there were. */
  progress?: (done: number, violations: number) => void;
  /** Whether to begin no further seeds once there is a violation. */
  untilViolation?: boolean;
}

/** Runs so many seeds from the first on, on every core; the outcome does not depend on how many there are. */
export async function runMany(
  from: number,
  seeds: number,
  { progress = () => {}, untilViolation = false }: RunOptions = {},
): Promise<Outcome> {
  const all: Piece[] = [];
  const end = from + seeds;
  let next = from;
  let done = 0;
  let found = 0;
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const bad = all.flatMap((piece) => piece.bad).sort((a, b) => a.seed - b.seed);
  const tally: Tally = {};
  for (const piece of all) addTo(tally, piece.tally);
  const commits = all.reduce((sum, piece) => sum + piece.commits, 0);
  return { seeds: done, commits, tally, violations: found, bad };

  function isOver(): boolean {
    return next >= end || (untilViolation && found > 0);
  }

  async function work(): Promise<void> {
    while (!isOver()) await thread();
  }

  function thread(): Promise<void> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    let given = 0;
    return new Promise((resolve, reject) => {
      const give = () => {
        if (isOver() || given === PIECES_PER_THREAD) {
          return void worker.terminate().then(() => resolve());
        }
        const to = Math.min(end, next + PIECE);
        worker.postMessage({ from: next, to });
        given += 1;
        next = to;
      };
      worker.on("message", (piece: Piece) => {
        all.push(piece);
        done += piece.seeds;
        found += violationsIn(piece.bad);
        progress(done, found);
        give();
      });
      worker.once("error", reject);
      give();
    });
  }
}

function violationsIn(bad: readonly Bad[]): number {
  return bad.reduce((sum, { violations }) => sum + violations.length, 0);
}
