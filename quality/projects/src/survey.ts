import { rmSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "../../loops/environment.ts";
import { inLanes } from "../../loops/lanes.ts";
import { exitOf } from "../../loops/machine.ts";
import { problemsOf } from "./judge.ts";
import { type Played, play } from "./play.ts";
import type { Project } from "./project.ts";

/** What the survey says about one project. */
export interface Row {
  project: Project;
  /** Null where it could not be played: `problems` say why, or `missing`. */
  played: Played | null;
  problems: string[];
  /** What this machine lacks for it; then it is listed and says nothing. */
  missing: string | null;
}

/** Plays the projects, `lanes` at a time; `onRow` is called as each one ends. `quick`: receipts are not verified again. */
export async function survey(
  projects: readonly Project[],
  { lanes, quick, onRow }: { lanes: number; quick: boolean; onRow: (row: Row) => void },
): Promise<Row[]> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-projects-")));
  const cleanUp = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", cleanUp);
  try {
    return await inLanes(projects, lanes, async (project) => {
      const row = await rowOf(project, root, quick);
      onRow(row);
      return row;
    });
  } finally {
    process.off("exit", cleanUp);
    cleanUp();
  }
}

async function rowOf(project: Project, root: string, quick: boolean): Promise<Row> {
  const { needs } = project;
  if (needs && exitOf(needs, root, environment(), 30_000) !== 0)
    return { project, played: null, problems: [], missing: `\`${needs}\` fails here` };
  try {
    const played = await play(project, root, quick);
    return { project, played, problems: problemsOf(project, played), missing: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { project, played: null, problems: [problem], missing: null };
  }
}

/** The last line of a run, and whether everything is as it has to be. */
export function lastLine(rows: readonly Row[]): string {
  const { right, missing } = counted(rows);
  const rest = missing > 0 ? `, ${missing} not played here` : "";
  return `as expected: ${right} of ${rows.length - missing}${rest}`;
}

export function isRight(rows: readonly Row[]): boolean {
  const { right, missing } = counted(rows);
  return right > 0 && right + missing === rows.length;
}

function counted(rows: readonly Row[]): { right: number; missing: number } {
  const missing = rows.filter((row) => row.missing !== null).length;
  const right = rows.filter((row) => row.missing === null && row.problems.length === 0).length;
  return { right, missing };
}
