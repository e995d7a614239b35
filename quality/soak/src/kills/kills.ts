import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fsStore } from "@ccw-loop/store-fs";
import { type Random, seededRandom } from "@ccw-loop/testkit";
import { keepFolder, removeFolder } from "../../../support/folders.ts";
import { unmetNeeds } from "../../../support/runs.ts";
import { foreignReader, keptAside } from "../files/foreign-reader.ts";
import { type Acknowledged, Ledger } from "../files/ledger.ts";
import { journalOf, recordedOf } from "../files/recorded.ts";
import { bundleWorker, start } from "../processes.ts";
import type { WorkerMessage } from "../workers/messages.ts";
import { planKill, type Role, runAndKill, type SharedLeases } from "./life.ts";
import { makeProject, type Project, workedTwice, workInterrupted } from "./project.ts";

/** What a run came to. */
export interface Result {
  kills: number;
  /** Of them, processes with a commit under way. */
  inCommit: number;
  /** Of them, processes that stood still until somebody else had their lease, and woke. */
  lostLease: number;
  acknowledged: number;
  /** Agent turns that began. */
  turns: number;
  /** Of them, cut off while the agent's processes worked. */
  interrupted: number;
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
  /** Called behind each project. */
  onProgress: (soFar: Result) => void;
}

/** A run in which something happened too seldom goes on for a few more projects of so many kills. */
const EXTRA_PROJECTS = 4;
const EXTRA_KILLS = 8;

/** A project is given up after so many kills, so that its files stay small. */
const PER_PROJECT = 150;

/** Kills processes until there were enough. A project in which something went wrong is kept, and named. */
export async function soak({ kills, seed, onProgress }: KillOptions): Promise<Result> {
  const began = performance.now();
  const random: Random = seededRandom(seed);
  using bundle = await bundleWorker();
  const total: Result = {
    ...{ kills: 0, inCommit: 0, lostLease: 0, acknowledged: 0, turns: 0, interrupted: 0, reads: 0 },
    ...{ lost: [], unreadable: [], twice: [], broken: [], missing: [], seconds: 0 },
  };
  const work = async (count: number) => {
    const { root, ...part } = await killSome(bundle.program, {
      kills: count,
      random: seededRandom(random.int(0, 2 ** 31 - 1)),
    });
    for (const key of COUNTED) total[key] += part[key];
    for (const key of ["lost", "unreadable", "twice", "broken"] as const) {
      total[key].push(...part[key].map((problem) => `${root}: ${problem}`));
    }
    total.seconds = (performance.now() - began) / 1000;
    if (isClean(part)) removeFolder(root);
    else keepFolder(root);
    onProgress(total);
    total.missing = missingIn(total);
  };
  while (total.kills < kills) await work(Math.min(PER_PROJECT, kills - total.kills));
  for (let n = 0; n < EXTRA_PROJECTS && total.missing.length > 0; n++) await work(EXTRA_KILLS);
  return total;
}

const COUNTED = [
  ...(["kills", "inCommit", "lostLease", "acknowledged"] as const),
  ...(["turns", "interrupted", "reads"] as const),
];

type Happened = Pick<
  Result,
  "kills" | "inCommit" | "interrupted" | "lostLease" | "acknowledged" | "reads"
>;

/** Why a run of so many kills does not count, a sentence for each event that happened too seldom. */
export function missingIn(happened: Happened): string[] {
  const { kills, inCommit, interrupted, lostLease, acknowledged, reads } = happened;
  const needs = [
    { what: "process killed in the middle of a commit", count: inCommit, onceIn: 20 },
    { what: "agent cut off in the middle of its work", count: interrupted, onceIn: 25 },
    { what: "owner that woke when its lease was another's", count: lostLease, onceIn: 100 },
    { what: "commit acknowledged", count: acknowledged, onceIn: 1 },
    { what: "file read by a foreign program", count: reads, onceIn: 1 },
  ];
  return unmetNeeds(needs, kills, "kills");
}

function isClean(result: Pick<Result, "lost" | "unreadable" | "twice" | "broken">): boolean {
  const { lost, unreadable, twice, broken } = result;
  return lost.length + unreadable.length + twice.length + broken.length === 0;
}

/** What else was measured. */
export function killsFigures(result: Result): string {
  const { acknowledged, turns, interrupted, reads, inCommit, lostLease } = result;
  return `Acknowledged commits: ${acknowledged}. Killed in the middle of a commit: ${inCommit}. Agent turns: ${turns}, cut off in the middle: ${interrupted}. Suspended until another one had their lease: ${lostLease}. Files read meanwhile: ${reads}.`;
}

/** The last line of a run. */
export function killsLine({ kills, lost, unreadable, twice }: Result): string {
  return `kills: ${kills}, lost: ${lost.length}, unreadable: ${unreadable.length}, twice: ${twice.length}`;
}

const LOOPS = 4;
/** How many processes of each kind live at any time. */
const SIDE_BY_SIDE: Record<Role, number> = { driver: 2, writer: 3 };
const LEASE_TTL_MS = 400;

interface BatchOptions {
  kills: number;
  random: Random;
}

/** One project, until so many of the processes that work on it were killed; then everything is looked for. */
async function killSome(
  program: string,
  { kills, random }: BatchOptions,
): Promise<Omit<Result, "seconds" | "missing"> & { root: string }> {
  const project = await makeProject(LOOPS);
  const { root, folder, loops } = project;
  const ledger = new Ledger();
  const unreadable: string[] = [];
  const broken: string[] = [];
  const leases: SharedLeases = { holders: new Map(), standing: null };
  const lives: Record<Role, number> = { driver: 0, writer: 0 };
  let [killed, inCommit, lostLease, reads, turns, begun] = [0, 0, 0, 0, 0, 0];
  /** How many live whose plan has to come true: others keep the loops running, and take over, as long as they do. */
  let awaited = 0;

  const place = async (role: Role, own: Random) => {
    while (begun < kills || awaited > 0) {
      begun += 1;
      const acknowledged: Acknowledged[] = [];
      const onMessage = (message: WorkerMessage) => {
        if (message.kind === "mark" && message.mark === "turn") turns += 1;
        if (message.kind !== "commit") return;
        ledger.add(message);
        acknowledged.push(message);
      };
      const task = {
        root,
        loops,
        leaseTtlMs: LEASE_TTL_MS,
        concurrency: LOOPS - 1,
        seed: own.int(0, 2 ** 31 - 1),
      };
      const plan = planKill(role, own, lives[role]);
      lives[role] += 1;
      if (plan.isAwaited) awaited += 1;
      const outcome = await runAndKill({ program, role, task }, plan, leases, onMessage);
      if (plan.isAwaited) awaited -= 1;
      if (!outcome.killed) broken.push(`A ${role} ended by itself: ${outcome.complaint}`);
      else killed += 1;
      if (outcome.inCommit) inCommit += 1;
      if (outcome.lostLease) lostLease += 1;
      for (const id of new Set(acknowledged.map(({ loop }) => loop))) {
        const of = acknowledged.filter(({ loop }) => loop === id);
        const wanted = new Set(of.map(({ revision }) => revision));
        ledger.lookFor(id, recordedOf(folder, id, wanted), of);
      }
    }
  };

  const reader = start({ program, role: "reader", task: { folder } }, (message) => {
    if (message.kind !== "read") return;
    reads += message.files;
    unreadable.push(...message.problems);
  });
  const places = Object.entries(SIDE_BY_SIDE).flatMap(([role, count]) =>
    Array.from({ length: count }, () =>
      place(role as Role, seededRandom(random.int(0, 2 ** 31 - 1))),
    ),
  );
  await Promise.all(places);
  reader.child.kill("SIGKILL");
  await reader.gone;
  unreadable.push(...(await unreadableAtTheEnd(project)));
  for (const id of loops) ledger.lookFor(id, journalOf(folder, id));
  return {
    root,
    ...{ kills: killed, inCommit, lostLease, reads, turns, acknowledged: ledger.count },
    ...{ lost: [...ledger.lost], unreadable, broken, twice: workedTwice(project) },
    interrupted: workInterrupted(project),
  };
}

/** After everybody is gone: one reader of our own brings the public files up to date, and then all of them are whole. */
async function unreadableAtTheEnd({ root, folder, loops }: Project): Promise<string[]> {
  const problems: string[] = [];
  const store = fsStore({
    root,
    onWarning: ({ id, message }) => problems.push(`${id}: ${message}`),
  });
  for (const id of loops) {
    try {
      const { revision } = await store.read(id);
      await store.close();
      const shown = JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8")).revision;
      if (shown !== revision)
        problems.push(`${id}: shows revision ${shown} instead of ${revision}`);
      const recorded = journalOf(folder, id);
      const missing = Array.from({ length: revision }, (_, n) => n + 1).filter(
        (n) => !recorded.has(n),
      );
      if (missing.length > 0) problems.push(`${id}: the journal lacks ${missing.join(", ")}`);
    } catch (error) {
      problems.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // Nobody but the store wrote here, so nothing it found may have surprised it.
  const aside = keptAside(folder).map((path) => `${path} was kept aside`);
  return [...problems, ...aside, ...foreignReader().read(folder).problems];
}
