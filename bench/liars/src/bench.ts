import { rmSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inLanes } from "../../../quality/loops/lanes.ts";
import type { Play } from "./case.ts";
import { whatIsMissing } from "./missing.ts";
import { playLoop } from "./play.ts";
import { type Row, rowOf } from "./verdict.ts";

/** What a run of the bench came to. */
export interface Result {
  rows: Row[];
  /** Cases that this machine cannot play, by reason. */
  skipped: { language: string; reason: string; cases: string[] }[];
  seconds: number;
}

/** Plays the cases, `lanes` at a time; `told` hears of each as it ends. */
export async function bench(
  plays: readonly Play[],
  { lanes, told }: { lanes: number; told: (row: Row) => void },
): Promise<Result> {
  const began = performance.now();
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-liars-")));
  const cleanUp = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", cleanUp);
  try {
    const projects = new Map(plays.map((play) => [play.case.project, play]));
    const looks = await inLanes([...projects], lanes, async ([name, play]) => {
      return [name, await whatIsMissing(play, root)] as const;
    });
    const missing = new Map(looks);
    const rows = await inLanes(
      plays.filter((play) => missing.get(play.case.project) === undefined),
      lanes,
      async (play) => {
        const row = await played(play, root);
        told(row);
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
    process.off("exit", cleanUp);
    cleanUp();
  }
}

async function played(play: Play, root: string): Promise<Row> {
  const began = performance.now();
  try {
    const ending = await playLoop(play, root);
    return rowOf(play, secondsSince(began), ending);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return rowOf(play, secondsSince(began), null, problem);
  }
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
