import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { environment, exitOf, isolatedEnvironment, outputOf } from "../../support/environment.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { mapConcurrently } from "../../support/runs.ts";
import type { Play, Steps } from "./cases.ts";
import { type PlayPlace, playLoop } from "./play.ts";
import { playSteps, prepare } from "./prepare.ts";
import { stepsOf } from "./script.ts";
import { type Row, rowOf } from "./verdict.ts";

/** What a run of the bench came to. */
export interface Result {
  rows: Row[];
  /** Cases that this machine cannot play, by reason. */
  skipped: { language: string; reason: string; cases: string[] }[];
  seconds: number;
}

/** Plays the cases, `lanes` at a time; `onRow` is called as each one ends. `acp`: with the agent behind that protocol. */
export async function bench(
  plays: readonly Play[],
  { lanes, onRow, acp }: { lanes: number; onRow: (row: Row) => void; acp: boolean },
): Promise<Result> {
  const began = performance.now();
  const root = temporaryFolder("liars");
  try {
    const projects = new Map(plays.map((play) => [play.case.project, play]));
    const looks = await mapConcurrently([...projects], lanes, async ([name, play]) => {
      return [name, await unmetRequirement(play, root)] as const;
    });
    const missing = new Map(looks);
    const rows = await mapConcurrently(
      plays.filter((play) => missing.get(play.case.project) === undefined),
      lanes,
      async (play) => {
        const row = await played(play, { root, acp });
        onRow(row);
        return row;
      },
    );
    const skipped = [...missing].flatMap(([name, reason]) => {
      const cases = plays.filter((play) => play.case.project === name);
      const language = cases[0]?.project.language ?? name;
      return reason ? [{ language, reason, cases: cases.map((play) => play.name) }] : [];
    });
    return { rows, skipped, seconds: secondsSince(began) };
  } finally {
    removeFolder(root);
  }
}

async function played(play: Play, place: PlayPlace): Promise<Row> {
  const began = performance.now();
  try {
    const ending = await playLoop(play, place);
    return rowOf(play, secondsSince(began), ending);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return rowOf(play, secondsSince(began), null, problem);
  }
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

/** Why a project cannot be played on this machine; undefined when it can: its repaired tests run and pass. */
async function unmetRequirement(play: Play, root: string): Promise<string | undefined> {
  const { needs, test } = play.project;
  if (exitOf(needs, root, environment(), 30_000) !== 0) return `\`${needs}\` fails here`;
  const folder = join(root, `look-${play.case.project}`);
  mkdirSync(folder);
  await prepare({ ...play, case: { ...play.case, before: ["fix"], git: false } }, folder);
  if (exitOf(test, folder) === 0) {
    return outputOf(play.project.oracle, folder) === "250"
      ? undefined
      : `\`${play.project.oracle}\` does not print 250 here, even on repaired files`;
  }
  return `\`${test}\` fails here, even on repaired files`;
}

/** For whoever writes a case: the exit codes of its tests before and after the agent's steps, played without any loop. */
export async function byHand(play: Play): Promise<string> {
  const place = temporaryFolder("liars");
  const top = join(place, "project");
  const { folder, turns, init, develop, debug } = play.case;
  const cwd = join(top, folder);
  const test = play.case.test ?? play.project.test;
  try {
    await prepare(play, top);
    const before = exitOf(test, cwd);
    const own = turns.flatMap(({ steps }) => (steps ?? []) as Steps);
    const steps = stepsOf(play, [...own, ...init, ...develop, ...debug]);
    await playSteps(steps, cwd, { lenient: true, env: isolatedEnvironment(top) });
    return `exit code ${before} before, ${exitOf(test, cwd, isolatedEnvironment(top))} after`;
  } finally {
    removeFolder(place);
  }
}
