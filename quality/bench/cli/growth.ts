/**
 * What an action costs as a loop grows: CPU of the process and bytes that it writes, orchestrator and durable store together
 * (an agent in memory, files in memory, instant tests). Loops of 10 to 1,000 planned tasks at their first actions, then one of
 * 1,000 tasks whose tests keep failing, over 2,000 actions; each beside the smallest loop of the same run. The size of the long
 * one's history is printed last. Run: `node quality/bench/cli/growth.ts [past actions]`
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { memoryWorkspace, passingVerifier, sampleVerification } from "@ccw-loop/testkit";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";

const PAST = Number(process.argv[2] ?? 2000);
const MEASURED = 20;
const TASKS = [10, 100, 400, 1000];
const dir = temporaryFolder("growth", process.env.CCW_LOOP_BENCH_DIR);

interface Cost {
  /** Milliseconds. */
  cpu: number;
  bytes: number;
}

function costNow(): Cost {
  const { user, system } = process.cpuUsage();
  const [, written] = /^wchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8")) ?? [];
  return { cpu: (user + system) / 1000, bytes: Number(written) };
}

/** Plans so many tasks, and does each by changing a file. */
function agentWith(tasks: number, files: Map<string, string>): Agent {
  const plan = Array.from({ length: tasks }, (_, n) => ({ description: `Do part ${n} of it.` }));
  const answerTo = (prompt: string) => {
    const [, action = ""] = /^# ACTION: (INIT|DEVELOP|DEBUG)/.exec(prompt) ?? [];
    const state_updates = action === "INIT" ? { tasks: plan } : { summary: "Done." };

    return { action, status: "success", message: "Done.", state_updates, files_updated: [] };
  };
  let turns = 0;
  return {
    driver: "memory",
    check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
    open: async () => ({
      id: "one",
      async run(prompt) {
        turns += 1;
        files.set("work.txt", `${turns}`);
        return { text: JSON.stringify(answerTo(prompt)), usage: null };
      },
      steer: async () => {},
      close: async () => {},
    }),
  };
}

/** Drives a loop for so many actions; what each cost, and the folder of its history. */
async function drive(name: string, tasks: number, actions: number) {
  const root = join(dir, name);
  mkdirSync(root);
  const store = fsStore({ root });
  const files = new Map<string, string>();
  const end = new AbortController();
  const service = loopService({
    store,
    agent: async () => agentWith(tasks, files),
    verifier: { ...passingVerifier(), verify: async () => sampleVerification(false) },
    workspace: async () => memoryWorkspace(files),
    cwd: root,
  });
  const { loop_id } = await service.create({
    description: name,
    max_iterations: 1_000_000,
    settings: { mode: "auto", flaky_reruns: 0 },
    limits: { max_stalled: 1_000_000, max_turns: 1_000_000, max_consecutive_failures: 1_000_000 },
  });
  const costs: Cost[] = [];
  let before = costNow();
  await service.run(loop_id, {
    signal: end.signal,
    onEvent: (live) => {
      const event = live.kind === "recorded" ? live.recorded.event : null;
      if (event?.type === "action.failed") throw new Error(event.message);
      if (event?.type !== "action.completed") return;
      const now = costNow();
      costs.push({ cpu: now.cpu - before.cpu, bytes: now.bytes - before.bytes });
      before = now;
      if (costs.length > actions) end.abort("measured");
    },
  });
  await store.close();
  if (costs.length <= actions) throw new Error(`${name} ended after ${costs.length} actions.`);
  return { costs: costs.slice(1), history: join(root, ".workflow/.loop", `${loop_id}.history`) };
}

/** The median of the actions before one. */
function costAt(costs: readonly Cost[], n: number): Cost {
  const part = costs.slice(n - MEASURED, n);
  const of = (key: keyof Cost) => median(part.map((one) => one[key]));
  // What is written only now and then counts as well.
  const mean = part.reduce((sum, { bytes }) => sum + bytes, 0) / part.length;
  return { cpu: of("cpu"), bytes: mean };
}

console.log(`machine: ${machine(dir)}`);
let base: Cost | undefined;
function print(what: string, cost: Cost): void {
  base ??= cost;
  const [cpu, bytes] = [cost.cpu / base.cpu, cost.bytes / base.bytes];
  console.log(
    `${what.padEnd(34)} ${cost.cpu.toFixed(1).padStart(6)} ms CPU (${cpu.toFixed(2)} ×), ` +
      `${(cost.bytes / 1000).toFixed(0).padStart(6)} KB written (${bytes.toFixed(2)} ×)`,
  );
}
// Code that runs for the first time is compiled.
await drive("warm-up", 10, 60);
for (const tasks of TASKS) {
  const { costs } = await drive(`${tasks}-tasks`, tasks, MEASURED);
  print(`${tasks} tasks`, costAt(costs, MEASURED));
}
const { costs, history } = await drive("long", 1000, PAST);
for (const n of [MEASURED, 500, PAST]) print(`1000 tasks, ${n} past actions`, costAt(costs, n));
const sizes = readdirSync(history).map((file) => statSync(join(history, file)).size);
const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
console.log(`history of it: ${megabytes.toFixed(1)} MB in ${sizes.length} files`);
