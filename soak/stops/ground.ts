import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Agent } from "../../packages/core/src/index.ts";
import { loopService } from "../../packages/orchestrator/src/index.ts";
import {
  commandLineOf,
  environOf,
  type Processes,
  processes,
  runningProcesses,
} from "../../packages/processes/src/index.ts";
import { fsStore } from "../../packages/store-fs/src/index.ts";
import { scriptedAgent } from "../../packages/testkit/src/index.ts";
import { verifier } from "../../packages/verify/src/index.ts";
import { filesWorkspace } from "../../packages/workspace-git/src/index.ts";
import type { Random } from "../src/random.ts";
import { nestedScript } from "./nested.ts";

/** Who starts the nested processes. */
export type Starter = "agent" | "tests";

/** A project whose agent, or whose tests, start what does not want to end. */
export interface Ground extends Disposable {
  dir: string;
  /** The file of the scripted agent, and the test command. */
  agentFile: string;
  verify: string;
  registry: Processes;
  /** A service of its own on the project, as another process would have one. */
  open(agent?: Agent): ReturnType<typeof loopService>;
  /** True as soon as everything that is nested was started. */
  isUp(): boolean;
  /** Processes that the script started, found by a variable that nobody but this ground knows. */
  survivors(): number[];
}

const LONGEST_START_MS = 60_000;

export function newGround(starter: Starter, kind: string, random: Random): Ground {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "ccw-loop-stops-")));
  const mark = `CCW_SOAK_STOP=${randomUUID()}`;
  const script = join(dir, "work.sh");
  writeFileSync(script, nestedScript(kind, mark, random));
  const steps = starter === "agent" ? [{ run: `sh ${script}` }] : [{ wait: 0 }];
  const turns = [{ steps, answer: "never", repeat: true }];
  const agentFile = join(dir, "agent.json");
  writeFileSync(agentFile, JSON.stringify({ turns }));
  const registry = processes({ folder: join(dir, ".workflow", ".loop", ".processes") });
  const scripted = scriptedAgent({ file: agentFile, processes: registry });
  return {
    dir,
    agentFile,
    verify: starter === "tests" ? `sh ${script}` : "true",
    registry,
    open: (agent = scripted) =>
      loopService({
        store: fsStore({ root: dir, durability: "process" }),
        agent: async () => agent,
        verifier: verifier({ processes: registry }),
        workspace: async () => filesWorkspace(dir),
        endEarlier: (scope) => registry.endSuperseded(scope),
        keepAlive: async (scope, until) => registry.keepAlive(scope, until),
        cwd: dir,
      }),
    isUp: () => existsSync(join(dir, "up")),
    survivors: () =>
      runningProcesses()
        .filter(({ pid }) => pid !== process.pid)
        .filter((one) => environOf(one.pid).includes(mark) || commandLineOf(one).includes(script))
        .map(({ pid }) => pid),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** When a loop is stopped: just when everything that is nested runs, or at any time before. */
export type Instant = "running" | "any";

export async function someInstant(ground: Ground, random: Random, instant: Instant): Promise<void> {
  if (instant === "any") return delay(random.between(0, 400));
  const until = performance.now() + LONGEST_START_MS;
  while (!ground.isUp() && performance.now() < until) await delay(3);
  await delay(random.between(0, 25));
}

/** Ends what survived, which is counted already. */
export function clear(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended in the meantime.
    }
  }
}
