import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownHome } from "../../../quality/loops/environment.ts";
import { exitOf } from "../../../quality/loops/machine.ts";
import type { Moves, Play } from "./case.ts";
import { prepare } from "./prepare.ts";
import { stepsOf } from "./script.ts";
import { playSteps } from "./steps.ts";

/** The exit codes of a case's tests before and after the agent's steps, played without any loop. */
export interface ByHand {
  before: number | null;
  after: number | null;
}

/** For whoever writes a case: does it do what it says? */
export async function byHand(play: Play): Promise<ByHand> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-liars-")));
  const top = join(place, "project");
  const { folder, turns, init, develop, debug } = play.case;
  const cwd = join(top, folder);
  const test = play.case.test ?? play.project.test;
  try {
    await prepare(play, top);
    const before = exitOf(test, cwd);
    const own = turns.flatMap(({ steps }) => (steps ?? []) as Moves);
    const steps = stepsOf(play, [...own, ...init, ...develop, ...debug]);
    await playSteps(steps, cwd, { lenient: true, env: ownHome(top) });
    return { before, after: exitOf(test, cwd, ownHome(top)) };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}
