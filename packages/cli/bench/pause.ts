/**
 * From a pause by another store instance to the moment the turn has ended and nothing of it is alive: with
 * the scripted agent, and with the real Codex in the middle of a command. `node packages/cli/bench/pause.ts`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { codexAgent } from "@ccw-loop/agent-codex";
import type { Agent } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import {
  message,
  offlineCodexHome,
  processesRunning,
  runCommand,
  scriptedAgent,
  startModelServer,
} from "@ccw-loop/testkit";
import { verifier } from "@ccw-loop/verify";
import { filesWorkspace } from "@ccw-loop/workspace-git";

const nap = `sleep ${(60 + Math.random()).toFixed(9)}`;

/** Milliseconds of `rounds` pauses, each of a fresh loop whose agent sleeps in a command. */
async function pauses(agent: Agent, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const dir = mkdtempSync(join(tmpdir(), "ccw-bench-"));
    const open = () =>
      loopService({
        store: fsStore({ root: dir }),
        agent: async () => agent,
        verifier: verifier(),
        workspace: async () => filesWorkspace(dir),
        cwd: dir,
      });
    const driver = open();
    const other = open();
    const settings = { mode: "auto" as const };
    const { loop_id } = await driver.create({ description: "sleep", settings });
    const sleeping = Promise.withResolvers<void>();
    let begun = Number.NaN;
    let ended = Number.NaN;
    const run = driver.run(loop_id, {
      onEvent: (live) => {
        if (live.kind === "activity" && live.activity.event.type === "command.started") {
          sleeping.resolve();
        }
        if (live.kind === "recorded" && live.recorded.event.type === "action.interrupted") {
          ended = performance.now();
        }
      },
    });
    await Promise.race([sleeping.promise, run]);
    begun = performance.now();
    await other.send(loop_id, { type: "pause" });
    await run;
    if (processesRunning(nap).length > 0) throw new Error("A process of the turn is still alive.");
    times.push(ended - begun);
    rmSync(dir, { recursive: true, force: true });
  }
  return times.sort((a, b) => a - b);
}

function show(name: string, times: number[], goal: number): void {
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const [p50, p99] = [at(0.5).toFixed(1), at(0.99).toFixed(1)];
  console.log(
    `${name.padEnd(10)} ${times.length} pauses: p50 ${p50} ms, p99 ${p99} ms (goal: p99 ${goal} ms)`,
  );
}

console.log(`machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`);
const script = { turns: [{ steps: [{ run: nap }], answer: "never", repeat: true }] };
show("scripted", await pauses(scriptedAgent({ script }), 50), 100);

const model = await startModelServer({
  script: (request) => ({
    items: [request.toolOutputs.length === 0 ? runCommand(nap) : message("never", "final_answer")],
  }),
});
const home = await offlineCodexHome(model.baseUrl);
Object.assign(process.env, home.env);
show("codex", await pauses(codexAgent({}), 20), 500);
await model.close();
await home.remove();
process.exit(0);
