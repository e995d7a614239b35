import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLineOf, runningProcesses } from "../../packages/processes/src/index.ts";
import type { Random } from "../src/random.ts";
import { clear, type Ground, type Instant, someInstant } from "./ground.ts";
import type { Stop } from "./stopped.ts";

const CLI = join(import.meta.dirname, "../../packages/cli/bin/ccw-loop.js");
/** Nobody is left to ask: the guardian is to have ended all of them by then. */
const GUARDIAN_MS = 10_000;

/**
 * Drives a loop by `ccw-loop run` and kills that process at a random instant. With `guardian` its guardian is killed
 * first: then the next one to come sweeps.
 */
export async function killLoop(
  ground: Ground,
  random: Random,
  { guardian, instant }: { guardian: boolean; instant: Instant },
): Promise<Stop> {
  const args = ["run", "--auto", "--agent", `scripted:${ground.agentFile}`];
  const command = [CLI, ...args, "--verify", ground.verify, "never ends"];
  const child = spawn(process.execPath, command, { cwd: ground.dir, stdio: "ignore" });
  const gone = once(child, "exit");
  await Promise.race([someInstant(ground, random, instant), gone]);
  const running = ground.survivors().length;
  if (guardian) clear(guardiansOf(child.pid ?? 0));
  const begun = performance.now();
  child.kill("SIGKILL");
  await gone;
  if (guardian) await ground.registry.sweep();
  else {
    for (let empty = 0; empty < 3 && performance.now() - begun < GUARDIAN_MS; ) {
      empty = ground.survivors().length === 0 ? empty + 1 : 0;
      await delay(10);
    }
  }
  const ms = performance.now() - begun;
  const left = ground.survivors();
  clear(left);
  return { running, survivors: left.length, ms };
}

function guardiansOf(pid: number): number[] {
  return runningProcesses()
    .filter((one) => one.parent === pid && commandLineOf(one).includes("ccw-loop-guardian"))
    .map((one) => one.pid);
}
