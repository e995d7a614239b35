import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { environment } from "../../../quality/loops/environment.ts";
import { exitOf, outputOf } from "../../../quality/loops/machine.ts";
import type { Play } from "./case.ts";
import { prepare } from "./prepare.ts";

/** Why a project cannot be played on this machine; undefined when it can: its repaired tests run and pass. */
export async function whatIsMissing(play: Play, root: string): Promise<string | undefined> {
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
