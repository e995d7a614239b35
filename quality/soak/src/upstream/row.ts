import type { Random } from "@ccw-loop/testkit";
import { inSoakProject, type Judgement, type SoakProject } from "../soak-project.ts";

/** One line of the table: what was tried here, and what came of it upstream. */
export interface Row {
  /** Of the survey of the upstream project. */
  section: string;
  what: string;
  /** What came of it here, in words, beside the judgement. */
  ours: string;
  /** What was measured there, on the same machine. */
  upstream: string;
  judgement: Judgement;
  /** Pauses and stops that were still there when the action had ended, of how many. */
  kept?: { kept: number; of: number };
}

export interface Trials {
  program: string;
  random: Random;
  /** So many of `full` trials; all of them in a whole run. */
  count(full: number): number;
}

/** Works on a project of its own and judges it; `lost` is what somebody did not find who looked for his own change. */
export async function rowOf(
  trials: Trials,
  row: Pick<Row, "section" | "what" | "upstream">,
  work: (project: SoakProject) => Promise<Pick<Row, "ours" | "kept"> & { lost?: number }>,
): Promise<Row> {
  const { result, judgement } = await inSoakProject(trials.program, work);
  const { lost = 0, ...outcome } = result;
  for (let n = 0; n < lost; n++) judgement.lost.push(`${row.section}: ${outcome.ours}`);
  return { ...row, ...outcome, judgement };
}
