import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { tempRepo } from "@ccw-loop/testkit";
import { ISSUES } from "../../../packages/api/test/example-issues.ts";

/** Megabytes of the heap, above which the server would die. */
const HEAP_MB = 512;

/** A served project in a process of its own. */
export interface Target {
  url: string;
  token: string;
  /** The project's folder. */
  root: string;
  /** Aborts when the process is gone, wanted or not. */
  gone: AbortSignal;
  /** Bytes that the process holds now. */
  memory(): Promise<number>;
  /** Ends it in good order; its exit code. */
  stop(): Promise<number | null>;
  /** The project, and the worktrees beside it. */
  remove(): void;
}

export async function startTarget(): Promise<Target> {
  const project = await tempRepo({ "cart.js": "export {};\n", ...ISSUES });
  const token = randomBytes(32).toString("base64url");
  const child = fork(new URL("./server.ts", import.meta.url), [project.path], {
    env: { ...process.env, FUZZ_TOKEN: token },
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = new AbortController();
  const exit = once(child, "exit").then(([code]) => {
    gone.abort();
    return code as number | null;
  });
  const answer = async <T>(): Promise<T> => (await once(child, "message", gone))[0] as T;
  const { url } = await answer<{ url: string }>();
  return {
    url,
    token,
    root: project.path,
    gone: gone.signal,
    async memory() {
      const told = answer<{ rss: number }>();
      child.send("memory");
      return (await told).rss;
    },
    async stop() {
      child.kill("SIGTERM");
      return exit;
    },
    remove() {
      child.kill("SIGKILL");
      for (const name of readdirSync(dirname(project.path))) {
        if (!name.startsWith(basename(project.path))) continue;
        rmSync(join(dirname(project.path), name), { recursive: true, force: true, maxRetries: 10 });
      }
    },
  };
}

interface Inspected {
  loops: number;
  /** One sentence each. */
  problems: string[];
}

/** Reads every loop of a project that nobody serves any more: its state, and its journal to the last revision. */
export async function inspectStore(root: string): Promise<Inspected> {
  const problems: string[] = [];
  const store = fsStore({ root, onWarning: ({ message }) => problems.push(message) });
  const { loops, total, damaged } = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  for (const one of damaged) problems.push(`It is damaged: ${JSON.stringify(one)}`);
  if (loops.length !== total)
    problems.push(`${total} loops are counted, ${loops.length} are listed.`);
  for (const { state } of loops) {
    const { success, error } = LoopState.safeParse(state);
    if (!success) problems.push(`${state.loop_id} breaks its schema: ${error.message}`);
    let last = 0;
    for await (const { revision } of store.events(state.loop_id)) last = revision;
    if (last !== state.revision) {
      problems.push(`${state.loop_id} is at ${state.revision}, its journal ends at ${last}.`);
    }
  }
  await store.close();
  const files = await readdir(join(root, ".workflow", ".loop"));
  for (const name of files.filter((one) => one.includes(".rejected-"))) {
    problems.push(`${name} was kept aside.`);
  }
  return { loops: total, problems };
}
