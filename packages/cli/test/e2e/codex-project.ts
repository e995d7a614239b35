import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LoopState, RecordedEvent } from "@ccw-loop/core";
import {
  cartModel,
  type ModelServer,
  offlineCodexHome,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";
import { BIN } from "../support/bin.ts";
import { cartFiles } from "../support/demo-cart.ts";

/** The cart of the demo in a repository, the real Codex, and a model that repairs it in two tries. */
export interface CodexProject {
  dir: string;
  model: ModelServer;
  /** The command that a slow project sleeps in; no other process of the machine has the same. */
  nap: string;
  /** Starts `ccw-loop ARGS` in the project. */
  cli(...args: string[]): Run;
  state(id: string): LoopState;
  journal(id: string): RecordedEvent[];
  progress(id: string): string[];
}

/** A run of the command line; `ended` resolves with its exit code, or null when a signal ended it. */
export interface Run {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<number | null>;
}

/** `slow`: the first DEVELOP turn creates the file `started` and sleeps before it does anything. */
export async function codexProject({ slow = false } = {}): Promise<CodexProject> {
  const repo = await tempRepo(cartFiles());
  const nap = `sleep ${(60 + Math.random()).toFixed(9)}`;
  const model = await startModelServer({ script: cartModel(slow ? nap : undefined) });
  const home = await offlineCodexHome(model.baseUrl);
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill("SIGKILL");
    await model.close();
    await repo.remove();
    await home.remove();
  });
  const loops = join(repo.path, ".workflow", ".loop");
  const read = (name: string) => readFileSync(join(loops, name), "utf8");
  return {
    dir: repo.path,
    model,
    nap,
    cli: (...args) => {
      const env = { ...process.env, ...home.env, NO_COLOR: "1" };
      const run = start([BIN, ...args], repo.path, env);
      running.add(run.child);
      run.child.on("exit", () => running.delete(run.child));
      return run;
    },
    state: (id) => LoopState.parse(JSON.parse(read(`${id}.json`))),
    journal: (id) =>
      read(`${id}.journal.jsonl`)
        .trim()
        .split("\n")
        .map((line) => RecordedEvent.parse(JSON.parse(line))),
    progress: (id) => readdirSync(join(loops, `${id}.progress`)).sort(),
  };
}

function start(args: string[], cwd: string, env: NodeJS.ProcessEnv): Run {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => {
    stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}
