import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Agent } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import {
  commandLineOf,
  environOf,
  type Processes,
  processes,
  runningProcesses,
} from "@ccw-loop/processes";
import { fsStore } from "@ccw-loop/store-fs";
import { type Random, scriptedAgent } from "@ccw-loop/testkit";
import { verifier } from "@ccw-loop/verify";
import { filesWorkspace } from "@ccw-loop/workspace-git";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";

/** Who starts the nested processes. */
export type Starter = "agent" | "tests";

/** A project whose agent, or whose tests, start what does not want to end. */
export interface StopProject extends Disposable {
  dir: string;
  /** The file of the scripted agent, and the test command. */
  agentFile: string;
  verify: string;
  registry: Processes;
  /** A service of its own on the project, as another process would have one. */
  open(agent?: Agent): ReturnType<typeof loopService>;
  /** True as soon as everything that is nested was started. */
  isUp(): boolean;
  /** Processes that the script started, found by a variable that nobody but this project knows. */
  survivors(): number[];
}

const LONGEST_START_MS = 60_000;

export function newStopProject(starter: Starter, kind: string, random: Random): StopProject {
  const dir = temporaryFolder("stops");
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
        endSuperseded: (scope) => registry.endSuperseded(scope),
        keepAlive: async (scope, until) => registry.keepAlive(scope, until),
        cwd: dir,
      }),
    isUp: () => existsSync(join(dir, "up")),
    survivors: () =>
      runningProcesses()
        .filter(({ pid }) => pid !== process.pid)
        .filter((one) => environOf(one.pid).includes(mark) || commandLineOf(one).includes(script))
        .map(({ pid }) => pid),
    [Symbol.dispose]: () => removeFolder(dir),
  };
}

/** When a loop is stopped: just when everything that is nested runs, or at any time before. */
export type Instant = "running" | "any";

export async function someInstant(
  project: StopProject,
  random: Random,
  instant: Instant,
): Promise<void> {
  if (instant === "any") return delay(random.next() * 400);
  const until = performance.now() + LONGEST_START_MS;
  while (!project.isUp() && performance.now() < until) await delay(3);
  await delay(random.next() * 25);
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

const NAP = "sleep 3600";

/** What agents and tests start, and how it tries to live on. Each line goes on behind the first one. */
const NESTED: Readonly<Record<string, readonly string[]>> = {
  plain: [`sh -c '${NAP}; true' &`],
  background: [`${NAP} & ${NAP} &`],
  "double-forked": [`(${NAP} &)`, `sh -c 'sh -c "${NAP} & ${NAP}" & exit 0'`],
  setsid: [`setsid ${NAP} &`, `(setsid sh -c '${NAP} & wait' &)`],
  "TERM-ignoring": [
    `sh -c "trap '' TERM HUP INT; ${NAP}; ${NAP}" &`,
    `setsid sh -c "trap '' TERM; ${NAP} & wait; ${NAP}" &`,
  ],
  nohup: [`nohup ${NAP} > /dev/null 2>&1 &`],
  breeding: [`sh -c 'while :; do (setsid sleep 5 &); sleep 0.01; done' &`],
};

/** The kinds of nesting, each alone and all together. */
export const KINDS = [...Object.keys(NESTED), "everything"];

/** A shell script whose descendants all have `mark` in their environments, and that runs until it is ended. */
function nestedScript(kind: string, mark: string, random: Random): string {
  const lines = kind === "everything" ? Object.values(NESTED).flat() : (NESTED[kind] ?? []);
  const trap = random.int(0, 2) === 0 ? ["trap '' TERM"] : [];
  return [`export ${mark}`, ...trap, ...lines, "echo up", "touch up", "wait", NAP, ""].join("\n");
}
