// What our agent adds to a turn of the real Codex, and how fast an abort ends a turn and its processes.
// Run: node packages/agent-codex/bench/turn-overhead.ts [turns] [aborts]
import { cpus, loadavg } from "node:os";
import {
  type ModelStep,
  message,
  offlineCodexHome,
  processesRunning,
  runCommand,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import { codexAgent } from "../src/index.ts";
import { appServerArguments } from "../src/launch/arguments.ts";
import { findBinary } from "../src/launch/codex-binary.ts";
import { bareClient } from "./bare-client.ts";

const TURNS = Number(process.argv[2] ?? 60);
const ABORTS = Number(process.argv[3] ?? 30);
const WARM_UP = 5;

const ANSWER: ModelStep = { items: [message("done", "final_answer")] };
const model = await startModelServer({ script: () => ANSWER });
const home = await offlineCodexHome(model.baseUrl);
const repo = await tempRepo();
const env = { ...process.env, ...home.env };
const { path: binary } = await findBinary({ env }, repo.path);
const agent = codexAgent({ binary, env });
const { version } = await agent.check(repo.path);

const cpu = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`;
console.log(
  `machine   ${process.platform}-${process.arch}, ${cpu}, load ${loadavg()[0]?.toFixed(2)}`,
);
console.log(`versions  Node ${process.version}, Codex ${version}, instant model on loopback`);

const args = appServerArguments({
  untrusted: [repo.path],
  mark: { name: "CCW_LOOP_BENCH", value: "bench" },
  config: [],
});
await compare("a turn that only answers", () => ANSWER);
await compare("a turn with one command", ({ toolOutputs, userTexts }) =>
  toolOutputs.length < userTexts.length ? { items: [runCommand("true")] } : ANSWER,
);
await aborts();
await Promise.all([model.close(), home.remove(), repo.remove()]);

/** Both clients take turns in taking turns, so that the machine's moods hit both. */
async function compare(name: string, script: Parameters<typeof model.play>[0]): Promise<void> {
  const fresh = await agent.open({ cwd: repo.path, instructions: "" });
  const other = await bareClient(binary, args, env, repo.path);
  model.play(script);
  const signal = new AbortController().signal;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < WARM_UP + TURNS; i += 1) {
    const a = await timed(() => other.turn("do it"));
    const b = await timed(() => fresh.run("do it", { signal }));
    if (i < WARM_UP) continue;
    theirs.push(a);
    ours.push(b);
  }
  await other.close();
  await fresh.close();
  const [bareMs, ourMs] = [percentile(theirs, 50), percentile(ours, 50)];
  console.log(
    `${name}, ${TURNS} each: bare ${bareMs.toFixed(1)} ms, ours ${ourMs.toFixed(1)} ms, ` +
      `ratio of medians ${(ourMs / bareMs).toFixed(3)}`,
  );
}

async function aborts(): Promise<void> {
  const session = await agent.open({ cwd: repo.path, instructions: "" });
  const latencies: number[] = [];
  let orphans = 0;
  for (let i = 0; i < ABORTS; i += 1) {
    const nap = `sleep ${100_000 + i}.${process.pid}`;
    model.play(() => ({ items: [runCommand(`${nap} & ${nap}`)] }));
    const abort = new AbortController();
    const running = session.run("sleep", { signal: abort.signal }).catch(() => undefined);
    while (processesRunning(nap).length < 2) await new Promise(setImmediate);
    latencies.push(
      await timed(async () => {
        abort.abort(new Error("stop"));
        await running;
      }),
    );
    orphans += processesRunning(nap).length;
  }
  await session.close();
  const [p50, p99] = [percentile(latencies, 50), percentile(latencies, 99)];
  console.log(
    `abort in mid-command, ${ABORTS} times: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms ` +
      `(goal 500), processes left alive ${orphans}`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (
    sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN
  );
}
