import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { BIN } from "./sum-project.ts";

/** `ccw-loop serve` as a process of its own, which can be killed and started again at the same address. */
export interface Server extends AsyncDisposable {
  url: string;
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

export async function server({ cwd, env }: Where): Promise<Server> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const start = async () => {
    const all = { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env };
    const started = spawn(process.execPath, [BIN, "serve", "--port", `${port}`], {
      cwd,
      env: all,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    await listening(started);
  };
  await start();
  return { url: `http://127.0.0.1:${port}`, start, kill, [Symbol.asyncDispose]: kill };
}

interface Where {
  cwd: string;
  env: Record<string, string>;
}

async function listening(child: ChildProcess): Promise<void> {
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stderr?.on("data", (data: Buffer) => {
    said += data.toString();
    if (/^Listening at /m.test(said)) resolve();
  });
  child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${said}`)));
  await promise;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
