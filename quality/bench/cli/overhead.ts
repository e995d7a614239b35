/**
 * What the orchestrator adds to an action: scripted agent, durable store, instant tests. The agent's own time (it keeps its
 * conversation in a file) is taken off. Printed beside the disk's own time for the same number of commits (write,
 * sync, link, sync of the folder), taken in turns in one run. Run: `node quality/bench/cli/overhead.ts`
 */
import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Agent, NewTask } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { memoryWorkspace, passingVerifier, scriptedAgent } from "@ccw-loop/testkit";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";

const TASKS = 40;
const dir = temporaryFolder("bench", process.env.CCW_LOOP_BENCH_DIR);

/** In memory, because what git takes is no part of the figure; each turn changes one. */
const files = new Map<string, string>();

/** One commit's worth of the disk's own work. */
function rawCommit(n: number, payload: string): void {
  const file = join(dir, `raw-${n}`);
  const fd = openSync(`${file}.tmp`, "wx", 0o600);
  writeSync(fd, payload);
  fsyncSync(fd);
  closeSync(fd);
  linkSync(`${file}.tmp`, file);
  unlinkSync(`${file}.tmp`);
  const folder = openSync(dir, "r");
  fsyncSync(folder);
  closeSync(folder);
}

const store = fsStore({ root: dir });
const answer = { status: "success" as const, message: "ok", state_updates: { summary: "ok" } };
const scripted = scriptedAgent({
  script: { turns: [{ action: "DEVELOP", answer, repeat: true }] },
});
/** Milliseconds that the agent took since the last action ended. */
let inAgent = 0;
const agent: Agent = {
  ...scripted,
  async open(options) {
    const session = await scripted.open(options);
    return {
      get id() {
        return session.id;
      },
      async run(prompt, turn) {
        const begin = performance.now();
        try {
          files.set("work.txt", prompt);
          return await session.run(prompt, turn);
        } finally {
          inAgent += performance.now() - begin;
        }
      },
      steer: (text) => session.steer(text),
      close: () => session.close(),
    };
  },
};
const service = loopService({
  store,
  agent: async () => agent,
  verifier: passingVerifier(),
  workspace: async () => memoryWorkspace(files),
  cwd: dir,
});
const loop = await service.create({
  description: "bench",
  max_iterations: TASKS + 5,
  settings: { mode: "auto", expect: "unchanged" },
});
for (let n = 0; n < TASKS; n++) {
  const task = NewTask.parse({ id: `t-${n}`, description: `task ${n}` });
  await service.send(loop.loop_id, { type: "add_task", task });
}
const actions: number[] = [];
const turns: number[] = [];
const raw: number[] = [];
let commits = 0;
let last = performance.now();
const ended = await service.run(loop.loop_id, {
  onEvent: (live) => {
    if (live.kind !== "recorded") return;
    if (live.recorded.event.type === "action.started") commits += 1;
    if (live.recorded.event.type !== "action.completed") return;
    commits += 1;
    actions.push(performance.now() - last - inAgent);
    turns.push(inAgent);
    inAgent = 0;
    const payload = JSON.stringify(loop).repeat(10);
    const begin = performance.now();
    rawCommit(actions.length, payload);
    raw.push(performance.now() - begin);
    last = performance.now();
  },
});
await store.close();

const perAction = median(actions);
const perCommit = median(raw);
const commitsPerAction = commits / actions.length;
console.log(`machine: ${machine(dir)}`);
console.log(
  `loop: ${ended.status}, ${actions.length} actions, ${commitsPerAction.toFixed(2)} commits each`,
);
console.log(`the agent's own (median):       ${median(turns).toFixed(2)} ms, not counted below`);
console.log(`per action (median):            ${perAction.toFixed(2)} ms`);
console.log(`the disk's own share (median):  ${(perCommit * commitsPerAction).toFixed(2)} ms`);
console.log(
  `beyond the disk:                ${(perAction - perCommit * commitsPerAction).toFixed(2)} ms (goal: 5)`,
);
console.log(
  `ratio to the disk's own time:   ${(perAction / (perCommit * commitsPerAction)).toFixed(2)}`,
);
