import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { runningProcesses } from "../src/index.ts";

/** Shells that would live for an hour, as an agent may leave them. */
export const COMMANDS = {
  "a command": { command: "exec sleep 3601", count: 1 },
  "children in the background": { command: "sleep 3601 & sleep 3601 & wait", count: 3 },
  "a child in a session of its own": { command: "setsid sleep 3601 & wait", count: 2 },
  "an orphan in a session of its own": { command: "(setsid sleep 3601 &) ; exit 0", count: 1 },
  "children that ignore TERM": {
    command: "trap '' TERM; sleep 3601 & setsid sleep 3601 & wait; sleep 3601",
    count: 3,
  },
  "a child without our environment": { command: "setsid env -i sleep 3601 & wait", count: 2 },
} as const;

/** An empty folder of a registry, removed after the test. */
export function registryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ccw-processes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "registry");
}

export interface Owner {
  child: ChildProcess;
  family: number[];
  /** What it says next. Throws when it has ended instead. */
  next(): Promise<string>;
}

/** Another process with a family of its own; both end with the test. */
export async function owner(
  folder: string,
  scope: { loop: string; epoch: number },
  { command, count }: { command: string; count: number } = COMMANDS["a command"],
  { ttlMs }: { ttlMs?: number } = {},
): Promise<Owner> {
  const program = fileURLToPath(new URL("fixtures/owner.ts", import.meta.url));
  const args = [program, folder, scope.loop, `${scope.epoch}`, `${count}`, command];
  if (ttlMs !== undefined) args.push(`${ttlMs}`);
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  });
  child.stdout.setEncoding("utf8");
  const gone = once(child, "exit").then(([code, signal]) => {
    throw new Error(`The owner ended with ${code ?? signal}.`);
  });
  gone.catch(() => undefined);
  const next = async () => {
    const [said] = await Promise.race([once(child.stdout, "data"), gone]);
    return String(said).trim();
  };
  const family = (await next()).split(" ").map(Number);
  return { child, family, next };
}

export async function killed({ child }: Owner): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

export function living(pids: readonly number[]): number[] {
  const running = new Set(runningProcesses().map(({ pid }) => pid));
  return pids.filter((pid) => running.has(pid));
}
