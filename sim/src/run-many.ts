import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Verdict } from "./run-seed.ts";

export type Bad = Pick<Verdict, "seed" | "violations">;

/** What a worker tells about a piece of its seeds. */
export interface Piece {
  seeds: number;
  commits: number;
  bad: Bad[];
}

export interface Outcome {
  commits: number;
  violations: number;
  /** In the order of their seeds. */
  bad: Bad[];
}

const PIECE = 50;
/** A thread ends after so many pieces: what the engine keeps of thousands of simulated machines goes with it. */
const PIECES_PER_THREAD = 20;

/**
 * Runs so many seeds from the first on, on every core; the outcome does not depend on how many there are. `progress` is
 * told how many are done, and how many violations there were.
 */
export async function runMany(
  from: number,
  seeds: number,
  progress: (done: number, violations: number) => void = () => {},
): Promise<Outcome> {
  const all: Piece[] = [];
  const end = from + seeds;
  let next = from;
  let done = 0;
  let found = 0;
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const bad = all.flatMap((piece) => piece.bad).sort((a, b) => a.seed - b.seed);
  return {
    commits: all.reduce((sum, { commits }) => sum + commits, 0),
    violations: found,
    bad,
  };

  async function work(): Promise<void> {
    while (next < end) await thread();
  }

  function thread(): Promise<void> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    let given = 0;
    return new Promise((resolve, reject) => {
      const give = () => {
        if (next >= end || given === PIECES_PER_THREAD) {
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
