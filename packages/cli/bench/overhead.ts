/**
 * What the orchestrator adds to an action: scripted agent, durable store, instant tests. The agent's own time (it keeps its
 * conversation in a file) is taken off. Printed beside the disk's own time for the same number of commits (write,
 * sync, link, sync of the folder), taken in turns in one run. Run: `node packages/cli/bench/overhead.ts`
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  NewTask,
  type Verification,
  type Verifier,
  type Workspace,
} from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { scriptedAgent } from "@ccw-loop/testkit";

const TASKS = 40;
const dir = mkdtempSync(join(process.env.CCW_LOOP_BENCH_DIR ?? tmpdir(), "ccw-bench-"));

const counts = { total: 1, passed: 1, failed: 0, skipped: 0 };
const passing: Verifier = {
  detect: async () => ({
    command: "true",
    source: "given",
    parts: [{ command: "true", report: "exit-code" }],
  }),
  verify: async (): Promise<Verification> => ({
    command: "true",
    started_at: new Date().toISOString(),
    duration_ms: 0,
    exit_code: 0,
    report: null,
    counts,
    tests: [],
    coverage: null,
    coverage_files: [],
    passed: true,
    reason: "ok",
    output_tail: "",
    test_files: {},
    commands: [
      {
        command: "true",
        exit_code: 0,
        duration_ms: 0,
        report: null,
        runner: null,
        counts,
        verdict: "passed",
        reason: "ok",
      },
    ],
    environment: "",
  }),
  check: async () => [],
  missing: async () => [],
  surroundingsChanged: async () => false,
  probe: async () => ({ exit_code: 0, duration_ms: 0, output: "", timed_out: false }),
};

async function notHere(): Promise<never> {
  throw new Error("This workspace keeps no files.");
}

/** Costs nothing, because what git takes is no part of the figure; the work is one new file. */
const free: Workspace = {
  kind: "free",
  lacks: ["It keeps no files."],
  claim: async () => ({
    takenFrom: null,
    renew: async () => undefined,
    release: async () => undefined,
    giveBack: async () => undefined,
  }),
  holder: async () => null,
  tree: async () => "tree",
  changes: async () => [{ path: "work.txt", kind: "added" }],
  withChanges: async (tree) => tree,
  untracked: async () => [],
  checkpoint: async () => ({ commit: "commit", tree: "tree", skipped: [] }),
  read: async () => new Map(),
  diff: notHere,
  restore: notHere,
  checkout: notHere,
  paths: async () => [],
  commitOf: async () => null,
  installed: async () => "nothing",
  changedInstalled: async () => [],
  addWorktree: notHere,
  commitWorktree: notHere,
  worktrees: async () => [],
  removeWorktree: notHere,
  adopt: async () => undefined,
  forget: async () => undefined,
};

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

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
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
  verifier: passing,
  workspace: async () => free,
  cwd: dir,
});
const loop = await service.create({
  description: "bench",
  max_iterations: TASKS + 5,
  settings: { mode: "auto" },
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
rmSync(dir, { recursive: true, force: true });

const perAction = median(actions);
const perCommit = median(raw);
const commitsPerAction = commits / actions.length;
console.log(
  `machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${tmpdir()}`,
);
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
