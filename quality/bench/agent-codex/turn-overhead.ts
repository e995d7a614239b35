// What our agent adds to a turn of the real Codex, and how fast an abort ends a turn and its processes.
// Run: node quality/bench/agent-codex/turn-overhead.ts [turns] [aborts]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { codexAgent } from "@ccw-loop/agent-codex";
import {
  type ModelStep,
  message,
  offlineCodexHome,
  processesRunning,
  runCommand,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import { appServerArguments } from "../../../packages/agent-codex/src/launch/arguments.ts";
import { findBinary } from "../../../packages/agent-codex/src/launch/codex-binary.ts";
import { machine, median, percentiles, timed } from "../../support/figures.ts";

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

console.log(`machine   ${machine()}`);
console.log(`versions  Codex ${version}, instant model on loopback`);

const args = appServerArguments([repo.path], { name: "CCW_LOOP_BENCH", value: "bench" }, []);
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
  const [bareMs, ourMs] = [median(theirs), median(ours)];
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
  console.log(
    `abort in mid-command, ${ABORTS} times: ${percentiles(latencies, 1)} ` +
      `(goal 500), processes left alive ${orphans}`,
  );
}

/** The least that can run a turn: what ours is measured against. */
interface BareClient {
  turn(prompt: string): Promise<void>;
  close(): Promise<void>;
}

async function bareClient(
  binary: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
): Promise<BareClient> {
  const child = spawn(binary, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const answers = new Map<number, (result: { thread: { id: string } }) => void>();
  let ended = () => {};
  let next = 1;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "turn/completed") ended();
    else if (message.method === undefined) answers.get(message.id)?.(message.result);
  });
  const request = (method: string, params: object) => {
    const id = next++;
    const answer = new Promise<{ thread: { id: string } }>((resolve) => answers.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ method, id, params })}\n`);
    return answer;
  };
  await request("initialize", { clientInfo: { name: "bare", title: "bare", version: "0" } });
  child.stdin.write('{"method":"initialized"}\n');
  const opened = await request("thread/start", {
    cwd,
    sandbox: "workspace-write",
    approvalPolicy: "never",
  });
  return {
    async turn(prompt) {
      const over = new Promise<void>((resolve) => {
        ended = resolve;
      });
      const input = [{ type: "text", text: prompt, text_elements: [] }];
      await request("turn/start", { threadId: opened.thread.id, input });
      await over;
    },
    async close() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
