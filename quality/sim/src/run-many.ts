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

const LIMIT_MS = 5 * 60_000;
const PIECE = 10;
/** A thread ends after so many pieces: what the engine keeps of thousands of simulated machines goes with it. */
const PIECES_PER_THREAD = 100;

export interface RunOptions {
  /** Told how many seeds are done, and how many violations there were. */
  progress?: (done: number, violations: number) => void;
  /** Real milliseconds that one seed may take; it takes fractions of a second. */
  limitMs?: number;
  /** Whether to begin no further seeds once there is a violation. */
  untilViolation?: boolean;
}

/** Runs so many seeds from the first on, on every core; the outcome does not depend on how many there are. */
export async function runMany(
  from: number,
  seeds: number,
  { progress = () => {}, untilViolation = false, limitMs = LIMIT_MS }: RunOptions = {},
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
    let [first, seed] = [next, next];
    return new Promise((resolve, reject) => {
      let limit: NodeJS.Timeout | undefined;
      const begun = (begins: number) => {
        seed = begins;
        clearTimeout(limit);
        limit = setTimeout(stuck, limitMs);
      };
      /** The seeds of its piece before it are not counted. */
      const stuck = () => {
        const text = `the simulation does not end within ${limitMs / 1000} s (the seeds from ${first} on were not counted)`;
        told({
          seeds: 1,
          commits: 0,
          tally: {},
          bad: [{ seed, violations: [{ promise: 4, text }] }],
        });
        void worker.terminate().then(() => resolve());
      };
      const told = (piece: Piece) => {
        all.push(piece);
        done += piece.seeds;
        found += violationsIn(piece.bad);
        progress(done, found);
      };
      const give = () => {
        clearTimeout(limit);
        if (isOver() || given === PIECES_PER_THREAD) {
          return void worker.terminate().then(() => resolve());
        }
        const to = Math.min(end, next + PIECE);
        first = next;
        worker.postMessage({ from: next, to });
        given += 1;
        next = to;
      };
      worker.on("message", (message: Piece | number) => {
        if (typeof message === "number") return begun(message);
        told(message);
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

const PROMISES = [
  "done means proven",
  "stop means stop",
  "nothing is lost, nothing runs twice",
  "it never runs away",
  "every screen shows the same loop",
  "the files outlive the tool",
];

/** What a seed violated, and how to see it again. */
export function printViolations({ seed, violations }: Pick<Verdict, "seed" | "violations">): void {
  for (const { promise, text } of violations) {
    console.log(`seed ${seed}: promise ${promise} (${PROMISES[promise - 1]}): ${text}`);
  }
  if (violations.length > 0)
    console.log(`seed ${seed}: see it with: npm run sim -- --seed ${seed}`);
}
