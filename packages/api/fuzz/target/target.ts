import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tempRepo } from "@ccw-loop/testkit";
import { ISSUES } from "../../test/example-issues.ts";

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
