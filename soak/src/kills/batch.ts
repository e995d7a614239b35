import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fsStore } from "../../../packages/store-fs/src/index.ts";
import { foreignReader, keptAside } from "../files/foreign-reader.ts";
import { type Acknowledged, Ledger } from "../files/ledger.ts";
import { journalOf, recordedOf } from "../files/recorded.ts";
import type { Random } from "../random.ts";
import { start } from "../start.ts";
import type { Told } from "../workers/told.ts";
import { live, type Stage } from "./life.ts";
import { planKill, type Role } from "./plan.ts";
import { makeProject, type Project, workCutOff, workedTwice } from "./project.ts";
import type { Result } from "./soak.ts";

const LOOPS = 4;
/** How many processes of each kind live at any time. */
const SIDE_BY_SIDE: Record<Role, number> = { driver: 2, writer: 3 };
const LEASE_TTL_MS = 400;

export interface BatchOptions {
  kills: number;
  dice: Random;
}

/** One project, until so many of the processes that work on it were killed; then everything is looked for. */
export async function killSome(
  program: string,
  { kills, dice }: BatchOptions,
): Promise<Omit<Result, "seconds" | "missing"> & { root: string }> {
  const project = await makeProject(LOOPS);
  const { root, folder, loops } = project;
  const ledger = new Ledger();
  const unreadable: string[] = [];
  const broken: string[] = [];
  const stage: Stage = { holders: new Map(), standing: null };
  const lives: Record<Role, number> = { driver: 0, writer: 0 };
  let [killed, inCommit, overtaken, reads, turns, begun] = [0, 0, 0, 0, 0, 0];
  /** How many live whose plan has to come true: others keep the loops running, and take over, as long as they do. */
  let awaited = 0;

  const place = async (role: Role, own: Random) => {
    while (begun < kills || awaited > 0) {
      begun += 1;
      const acknowledged: Acknowledged[] = [];
      const hear = (told: Told) => {
        if (told.kind === "mark" && told.mark === "turn") turns += 1;
        if (told.kind !== "commit") return;
        ledger.add(told);
        acknowledged.push(told);
      };
      const task = {
        root,
        loops,
        leaseTtlMs: LEASE_TTL_MS,
        concurrency: LOOPS - 1,
        seed: own.below(2 ** 31),
      };
      const plan = planKill(role, own, lives[role]);
      lives[role] += 1;
      if (plan.isAwaited) awaited += 1;
      const life = await live({ program, role, task }, plan, stage, hear);
      if (plan.isAwaited) awaited -= 1;
      if (!life.killed) broken.push(`A ${role} ended by itself: ${life.complaint}`);
      else killed += 1;
      if (life.inCommit) inCommit += 1;
      if (life.overtaken) overtaken += 1;
      for (const id of new Set(acknowledged.map(({ loop }) => loop))) {
        const of = acknowledged.filter(({ loop }) => loop === id);
        const wanted = new Set(of.map(({ revision }) => revision));
        ledger.lookFor(id, recordedOf(folder, id, wanted), of);
      }
    }
  };

  const reader = start({ program, role: "reader", task: { folder } }, (told) => {
    if (told.kind !== "read") return;
    reads += told.files;
    unreadable.push(...told.problems);
  });
  const places = Object.entries(SIDE_BY_SIDE).flatMap(([role, count]) =>
    Array.from({ length: count }, () => place(role as Role, dice.fork())),
  );
  await Promise.all(places);
  reader.child.kill("SIGKILL");
  await reader.gone;
  unreadable.push(...(await unreadableAtTheEnd(project)));
  for (const id of loops) ledger.lookFor(id, journalOf(folder, id));
  return {
    root,
    ...{ kills: killed, inCommit, overtaken, reads, turns, acknowledged: ledger.count },
    ...{ lost: [...ledger.lost], unreadable, broken, twice: workedTwice(project) },
    cutOff: workCutOff(project),
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
      const told = journalOf(folder, id);
      const missing = Array.from({ length: revision }, (_, n) => n + 1).filter((n) => !told.has(n));
      if (missing.length > 0) problems.push(`${id}: the journal lacks ${missing.join(", ")}`);
    } catch (error) {
      problems.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // Nobody but the store wrote here, so nothing it found may have surprised it.
  const aside = keptAside(folder).map((path) => `${path} was kept aside`);
  return [...problems, ...aside, ...foreignReader().read(folder).problems];
}
