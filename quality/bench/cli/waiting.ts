/**
 * One process that supervises 1,000 waiting loops: what it holds in memory, and what it does meanwhile.
 * `node quality/bench/cli/waiting.ts [LOOPS]`
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LoopState } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { scriptedAgent } from "@ccw-loop/testkit";
import { verifier } from "@ccw-loop/verify";
import { filesWorkspace } from "@ccw-loop/workspace-git";
import { compose } from "../../../packages/cli/src/runtime/compose.ts";
import { machine } from "../../support/figures.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";

const GOAL_MB = 300;
const IDLE_SECONDS = 20;

const tasks = Array.from({ length: 12 }, (_, n) => ({
  description: `Task ${n}: ${"what is to be done ".repeat(50)}`,
}));
const script = {
  turns: [
    { action: "INIT" as const, answer: { message: "planned", state_updates: { tasks } } },
    {
      action: "DEVELOP",
      steps: [{ write: { path: "a", content: "1" } }],
      answer: { message: "y".repeat(500) },
    },
    { action: "DEVELOP", steps: [{ fail: { code: "usage_limit" as const, resets_in: 86_400 } }] },
  ],
};

/** The state of a loop that worked a little and then met a usage limit. */
async function waitingState(root: string): Promise<LoopState> {
  const loops = loopService({
    store: fsStore({ root }),
    agent: async () => scriptedAgent({ script }),
    verifier: verifier(),
    workspace: async () => filesWorkspace(root),
    cwd: root,
  });
  const settings = { mode: "auto" as const, verify: "true" };
  const { loop_id } = await loops.create({ description: "Wait", settings });
  const state = await loops.run(loop_id, { waitForLimits: false });
  if (state.waiting?.kind !== "usage_limit") throw new Error("The loop does not wait.");
  return state;
}

async function prepare(root: string, count: number): Promise<number> {
  const state = await waitingState(root);
  const store = fsStore({ root, durability: "process" });
  const { waiting, ...before } = state;
  for (let n = 1; n < count; n++) {
    const id = `${state.loop_id}-${n}`;
    const { revision } = await store.create({ ...before, loop_id: id }, { actor: "bench" });
    if (!waiting) continue;
    const begins = { type: "waiting.started" as const, at: waiting.since, waiting };
    await store.append(id, revision, [begins], { actor: "bench" });
  }
  await store.close();
  return JSON.stringify(state).length;
}

/** In the child: the command line's own parts, and figures of this process once it is at rest. */
async function superviseHere(root: string): Promise<void> {
  const parts = compose(root, {
    warn: () => undefined,
    keyFile: join(root, ".workflow", "receipt.key"),
  });
  const loops = await parts.loops();
  const begun = performance.now();
  const done = new AbortController();
  const work = loops.supervise({ signal: done.signal });
  const share = async (seconds: number) => {
    const before = process.cpuUsage();
    await delay(seconds * 1000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 10_000 / seconds;
  };
  await atRest();
  const ready = performance.now() - begun;
  const cpu = await share(IDLE_SECONDS);
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed, cpu, ready });
  done.abort("measured");
  await work;
  await parts.close();
}

/** Waits for a second in which this process hardly had anything to do, however busy the machine is. */
async function atRest(): Promise<void> {
  for (let busy = 1; busy > 0.1; ) {
    const before = performance.eventLoopUtilization();
    await delay(1000);
    busy = performance.eventLoopUtilization(before).utilization;
  }
}

interface Figures {
  rss: number;
  heapUsed: number;
  /** Percent of one core. */
  cpu: number;
  ready: number;
}

async function measure(count: number): Promise<void> {
  const root = temporaryFolder("bench");
  try {
    const bytes = await prepare(root, count);
    const child = fork(import.meta.filename, ["--here", root]);
    const [figures] = (await once(child, "message")) as [Figures];
    await once(child, "exit");
    const mb = (size: number) => (size / 2 ** 20).toFixed(0);
    console.log(`machine: ${machine()}`);
    console.log(
      `${count} waiting loops of ${(bytes / 1024).toFixed(1)} KB: RSS ${mb(figures.rss)} MB (heap ${mb(figures.heapUsed)} MB, goal ${GOAL_MB} MB), ` +
        `${figures.cpu.toFixed(1)} % of one core while idle for ${IDLE_SECONDS} s, at rest after ${(figures.ready / 1000).toFixed(1)} s`,
    );
    if (figures.rss > GOAL_MB * 2 ** 20) process.exitCode = 1;
  } finally {
    removeFolder(root);
  }
}

const [first = "1000", second = ""] = process.argv.slice(2);
await (first === "--here" ? superviseHere(second) : measure(Number(first)));
