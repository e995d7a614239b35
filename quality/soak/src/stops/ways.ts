import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { codexAgent } from "@ccw-loop/agent-codex";
import type { Agent } from "@ccw-loop/core";
import { commandLineOf, runningProcesses } from "@ccw-loop/processes";
import {
  message,
  offlineCodexHome,
  type Random,
  runCommand,
  startModelServer,
} from "@ccw-loop/testkit";
import { CLI } from "../../../support/command-line.ts";
import { clear, type Instant, type StopProject, someInstant } from "./project.ts";

/** What one stop left, and how long it took. */
export interface Stop {
  /** How many processes of the script ran when it came. */
  running: number;
  survivors: number;
  /** From the operator's command to the end of the action; null when it hit none. */
  ms: number | null;
}

/** A process that is just being started shows its environment only a moment later. */
const LOOK_AGAIN_MS = 30;

/** Drives a loop, and pauses or stops it by another service at a random instant. */
export async function stopLoop(
  project: StopProject,
  random: Random,
  instant: Instant,
  agent?: Agent,
): Promise<Stop> {
  const [driver, operator] = [project.open(agent), project.open(agent)];
  const settings = { mode: "auto" as const, verify: project.verify };
  const { loop_id } = await driver.create({ description: "never ends", settings });
  let ended: number | null = null;
  const { promise: started, resolve: begins } = Promise.withResolvers<void>();
  const run = driver.run(loop_id, {
    onEvent: (live) => {
      if (live.kind !== "recorded") return;
      begins();
      if (live.recorded.event.type === "action.interrupted") ended = performance.now();
    },
  });
  await Promise.race([started, run]);
  await Promise.race([someInstant(project, random, instant), run]);
  const running = project.survivors().length;
  const begun = performance.now();
  await operator.send(loop_id, { type: random.int(0, 1) === 0 ? "pause" : "stop" });
  await run;
  const left = new Set(project.survivors());
  await delay(LOOK_AGAIN_MS);
  for (const pid of project.survivors()) left.add(pid);
  clear([...left]);
  return { running, survivors: left.size, ms: ended === null ? null : ended - begun };
}

/** Nobody is left to ask: the guardian is to have ended all of them by then. */
const GUARDIAN_MS = 10_000;

/**
 * Drives a loop by `ccw-loop run` and kills that process at a random instant. With `guardian` its guardian is killed
 * first: then the next one to come sweeps.
 */
export async function killLoop(
  project: StopProject,
  random: Random,
  { guardian, instant }: { guardian: boolean; instant: Instant },
): Promise<Stop> {
  const args = ["run", "--auto", "--agent", `scripted:${project.agentFile}`];
  const command = [CLI, ...args, "--verify", project.verify, "never ends"];
  const child = spawn(process.execPath, command, { cwd: project.dir, stdio: "ignore" });
  const gone = once(child, "exit");
  await Promise.race([someInstant(project, random, instant), gone]);
  const running = project.survivors().length;
  if (guardian) clear(guardiansOf(child.pid ?? 0));
  const begun = performance.now();
  child.kill("SIGKILL");
  await gone;
  if (guardian) await project.registry.sweep();
  else {
    for (let empty = 0; empty < 3 && performance.now() - begun < GUARDIAN_MS; ) {
      empty = project.survivors().length === 0 ? empty + 1 : 0;
      await delay(10);
    }
  }
  const ms = performance.now() - begun;
  const left = project.survivors();
  clear(left);
  return { running, survivors: left.length, ms };
}

function guardiansOf(pid: number): number[] {
  return runningProcesses()
    .filter((one) => one.parent === pid && commandLineOf(one).includes("ccw-loop-guardian"))
    .map((one) => one.pid);
}

/** The real Codex, whose model asks for the script of the project. */
export async function stopCodex(
  project: StopProject,
  random: Random,
  instant: Instant,
): Promise<Stop> {
  const model = await startModelServer({
    script: ({ toolOutputs }) => ({
      items: [
        toolOutputs.length === 0
          ? runCommand(`sh ${project.dir}/work.sh`)
          : message("never", "final_answer"),
      ],
    }),
  });
  const home = await offlineCodexHome(model.baseUrl);
  try {
    const agent = codexAgent({
      env: { ...process.env, ...home.env },
      // The sandbox would end much by itself.
      sandbox: random.int(0, 2) === 0 ? "workspace-write" : "danger-full-access",
      processes: project.registry,
    });
    return await stopLoop(project, random, instant, agent);
  } finally {
    await model.close();
    await home.remove();
  }
}
