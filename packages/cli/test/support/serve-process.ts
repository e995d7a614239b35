import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BIN } from "./bin.ts";
import { listeningAt } from "./served.ts";

/** A control plane that answers, and drives nothing. */
export interface Serving {
  child: ChildProcess;
  url: string;
  token: string;
  /** The `data` of the answer to a request about loops. Throws for one that is no success. */
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** `ccw-loop serve` as a process of its own, once it listens; killed with the test. */
export async function serving(cwd: string, ...args: string[]): Promise<Serving> {
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: "", NO_COLOR: "1" };
  const argv = [BIN, "serve", "--port", "0", "--no-drive", ...args];
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr.on("data", (data) => (err += data));
  const url = await listeningAt({ err: () => err });
  const token = readFileSync(join(cwd, ".config", "ccw-loop", "token"), "utf8").trim();
  return {
    child,
    url,
    token,
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${url}/api/loops/v2${path}`, init);
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { data: Record<string, unknown> }).data;
    },
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
