/**
 * From a pause by another store instance to the moment the turn has ended and nothing of it is alive: with
 * the scripted agent, and with the real Codex in the middle of a command. `node quality/bench/cli/pause.ts`
 */
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
import { machine, percentiles } from "../../support/figures.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";

const nap = `sleep ${(60 + Math.random()).toFixed(9)}`;

/** Milliseconds of `rounds` pauses, each of a fresh loop whose agent sleeps in a command. */
async function pauses(agent: Agent, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const dir = temporaryFolder("bench");
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
    removeFolder(dir);
  }
  return times;
}

function show(name: string, times: number[], goal: number): void {
  const figures = percentiles(times, 1);
  console.log(`${name.padEnd(10)} ${times.length} pauses: ${figures} (goal: p99 ${goal} ms)`);
}

console.log(`machine: ${machine()}`);
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
