import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Verdict } from "./run-seed.ts";

export type Bad = Pick<Verdict, "seed" | "violations">;

/** What a worker tells about a piece of its seeds. */
export interface Piece {
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

/** Runs so many seeds from the first on, on every core; the outcome does not depend on how many there are. */
export async function runMany(from: number, seeds: number): Promise<Outcome> {
  const all: Piece[] = [];
  const end = from + seeds;
  let next = from;
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const bad = all.flatMap((piece) => piece.bad).sort((a, b) => a.seed - b.seed);
  return {
    commits: all.reduce((sum, { commits }) => sum + commits, 0),
    violations: bad.reduce((sum, { violations }) => sum + violations.length, 0),
    bad,
  };

  function work(): Promise<void> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    return new Promise((resolve, reject) => {
      const give = () => {
        if (next >= end) return void worker.terminate().then(() => resolve());
        worker.postMessage({ from: next, to: Math.min(end, next + PIECE) });
        next += PIECE;
      };
      worker.on("message", (piece: Piece) => {
        all.push(piece);
        give();
      });
      worker.once("error", reject);
      give();
    });
  }
}
