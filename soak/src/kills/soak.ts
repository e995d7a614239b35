import { tooFew } from "../../../quality/too-few.ts";
import { bundleWorker } from "../bundle.ts";
import { type Random, random } from "../random.ts";
import { keepFolder, removeFolder } from "../temporary.ts";
import { killSome } from "./batch.ts";

/** What a run came to. */
export interface Result {
  kills: number;
  /** Of them, processes with a commit under way. */
  inCommit: number;
  /** Of them, processes that stood still until somebody else had their lease, and woke. */
  overtaken: number;
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
  /** Why the run does not count: what happened too seldom, a sentence each. */
  missing: string[];
  seconds: number;
}

export interface KillOptions {
  kills: number;
  seed: number;
  /** Hears how far it has come. */
  told: (soFar: Result) => void;
}

/** A run in which something happened too seldom goes on for a few more projects of so many kills. */
const EXTRA_PROJECTS = 4;
const EXTRA_KILLS = 8;

/** A project is given up after so many kills, so that its files stay small. */
const PER_PROJECT = 150;

/** Kills processes until there were enough. A project in which something went wrong is kept, and named. */
export async function soak({ kills, seed, told }: KillOptions): Promise<Result> {
  const began = performance.now();
  const dice: Random = random(seed);
  using bundle = await bundleWorker();
  const total: Result = {
    ...{ kills: 0, inCommit: 0, overtaken: 0, acknowledged: 0, turns: 0, cutOff: 0, reads: 0 },
    ...{ lost: [], unreadable: [], twice: [], broken: [], missing: [], seconds: 0 },
  };
  const work = async (count: number) => {
    const { root, ...part } = await killSome(bundle.program, { kills: count, dice: dice.fork() });
    for (const key of COUNTED) total[key] += part[key];
    for (const key of ["lost", "unreadable", "twice", "broken"] as const) {
      total[key].push(...part[key].map((problem) => `${root}: ${problem}`));
    }
    total.seconds = (performance.now() - began) / 1000;
    if (isClean(part)) removeFolder(root);
    else keepFolder(root);
    told(total);
    total.missing = missingIn(total);
  };
  while (total.kills < kills) await work(Math.min(PER_PROJECT, kills - total.kills));
  for (let n = 0; n < EXTRA_PROJECTS && total.missing.length > 0; n++) await work(EXTRA_KILLS);
  return total;
}

const COUNTED = [
  ...(["kills", "inCommit", "overtaken", "acknowledged"] as const),
  ...(["turns", "cutOff", "reads"] as const),
];

type Happened = Pick<
  Result,
  "kills" | "inCommit" | "cutOff" | "overtaken" | "acknowledged" | "reads"
>;

/** Why a run of so many kills does not count, a sentence for each event that happened too seldom. */
export function missingIn(happened: Happened): string[] {
  const { kills, inCommit, cutOff, overtaken, acknowledged, reads } = happened;
  const needs = [
    { what: "process killed in the middle of a commit", count: inCommit, onceIn: 20 },
    { what: "agent cut off in the middle of its work", count: cutOff, onceIn: 25 },
    { what: "owner that woke when its lease was another's", count: overtaken, onceIn: 100 },
    { what: "commit acknowledged", count: acknowledged, onceIn: 1 },
    { what: "file read by a foreign program", count: reads, onceIn: 1 },
  ];
  return tooFew(needs, kills, "kills");
}

function isClean(result: Pick<Result, "lost" | "unreadable" | "twice" | "broken">): boolean {
  const { lost, unreadable, twice, broken } = result;
  return lost.length + unreadable.length + twice.length + broken.length === 0;
}

/** What else was measured. */
export function killsFigures(result: Result): string {
  const { acknowledged, turns, cutOff, reads, inCommit, overtaken } = result;
  return `Acknowledged commits: ${acknowledged}. Killed in the middle of a commit: ${inCommit}. Agent turns: ${turns}, cut off in the middle: ${cutOff}. Suspended until another one had their lease: ${overtaken}. Files read meanwhile: ${reads}.`;
}

/** The last line of a run. */
export function killsLine({ kills, lost, unreadable, twice }: Result): string {
  return `kills: ${kills}, lost: ${lost.length}, unreadable: ${unreadable.length}, twice: ${twice.length}`;
}
