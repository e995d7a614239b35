import { bundleWorker } from "../bundle.ts";
import { type Random, random } from "../random.ts";
import { keepFolder, removeFolder } from "../temporary.ts";
import { killSome } from "./batch.ts";

/** What a run came to. */
export interface Result {
  kills: number;
  /** Of them, processes that had slept past their lease. */
  suspended: number;
  acknowledged: number;
  /** Agent turns that began. */
  turns: number;
  /** Of them, cut off while the agent's processes worked. */
  cutOff: number;
  /** Files that a foreign program read meanwhile. */
  reads: number;
  lost: string[];
  unreadable: string[];
  twice: string[];
  /** Workers that ended by themselves, which none may. */
  broken: string[];
  seconds: number;
}

export interface KillOptions {
  kills: number;
  seed: number;
  /** Hears how far it has come. */
  told: (soFar: Result) => void;
}

/** A project is given up after so many kills, so that its files stay small. */
const PER_PROJECT = 150;

/** Kills processes until there were enough. A project in which something went wrong is kept, and named. */
export async function soak({ kills, seed, told }: KillOptions): Promise<Result> {
  const began = performance.now();
  const dice: Random = random(seed);
  using bundle = await bundleWorker();
  const total: Result = {
    ...{ kills: 0, suspended: 0, acknowledged: 0, turns: 0, cutOff: 0, reads: 0, seconds: 0 },
    ...{ lost: [], unreadable: [], twice: [], broken: [] },
  };
  while (total.kills < kills) {
    const { root, ...part } = await killSome(bundle.program, {
      kills: Math.min(PER_PROJECT, kills - total.kills),
      dice: dice.fork(),
    });
    for (const key of ["kills", "suspended", "acknowledged", "turns", "cutOff", "reads"] as const) {
      total[key] += part[key];
    }
    for (const key of ["lost", "unreadable", "twice", "broken"] as const) {
      total[key].push(...part[key].map((problem) => `${root}: ${problem}`));
    }
    total.seconds = (performance.now() - began) / 1000;
    if (isClean(part)) removeFolder(root);
    else keepFolder(root);
    told(total);
  }
  return total;
}

function isClean(result: Pick<Result, "lost" | "unreadable" | "twice" | "broken">): boolean {
  const { lost, unreadable, twice, broken } = result;
  return lost.length + unreadable.length + twice.length + broken.length === 0;
}

/** What else was measured. */
export function killsFigures({ acknowledged, turns, cutOff, reads, suspended }: Result): string {
  return `Acknowledged commits: ${acknowledged}. Agent turns: ${turns}, cut off in the middle: ${cutOff}. Files read meanwhile: ${reads}. Suspended past the lease: ${suspended}.`;
}

/** The last line of a run. */
export function killsLine({ kills, lost, unreadable, twice }: Result): string {
  return `kills: ${kills}, lost: ${lost.length}, unreadable: ${unreadable.length}, twice: ${twice.length}`;
}
