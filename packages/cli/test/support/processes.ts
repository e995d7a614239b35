import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runningProcesses } from "@ccw-loop/processes";
import { onTestFinished, vi } from "vitest";
import { BIN } from "./bin.ts";

const SHORT_LEASE = fileURLToPath(new URL("./short-lease.ts", import.meta.url));

// Everything here is a process of its own, and there may be few cores.
export const PATIENCE = { timeout: 30_000, interval: 10 };

/** A process that prints lines of JSON; killed with the test. */
export interface Lines {
  child: ChildProcess;
  /** What it printed so far, parsed, with the time at which it arrived here. */
  records: { at: number; record: Printed }[];
  /** With its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

interface Printed {
  kind: string;
  type?: string;
  id: string;
  activity?: { event: { type: string } };
  recorded?: { event: { type: string; action?: string; attempt?: number } };
}

export function ccwLoop(cwd: string, ...args: string[]): Lines {
  return startLines([process.execPath, BIN, ...args], cwd);
}

export function shortLease(cwd: string, ttlMs: number): Lines {
  return startLines([process.execPath, SHORT_LEASE, cwd, `${ttlMs}`], cwd);
}

/** A process namespace of its own, whose first process ends what is left in it; as a container has one. */
const UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];

/** Whether this machine lets a test make process namespaces. */
export const HAS_NAMESPACES = (() => {
  const [file = "", ...args] = [...UNSHARE, "true"];
  try {
    execFileSync(file, args, { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
})();

/** `ccwLoop` in a process namespace of its own: neither it nor its agent can see those of another one. */
export function ccwLoopInNamespace(cwd: string, ...args: string[]): Lines {
  // The shell stays, so that the first process of the namespace is not the one that is suspended.
  const shell = ["/bin/sh", "-c", '"$@"; exit $?', "sh"];
  return startLines([...UNSHARE, "--kill-child", ...shell, process.execPath, BIN, ...args], cwd);
}

/** The process id, here, of a `ccwLoopInNamespace`. */
export function supervisorIn({ child }: Lines): number {
  return onlyChild(onlyChild(child.pid ?? 0));
}

function onlyChild(pid: number): number {
  const [child, ...others] = runningProcesses().filter(({ parent }) => parent === pid);
  if (!child || others.length > 0) throw new Error(`Process ${pid} has not one child.`);
  return child.pid;
}

/** Whether the process is suspended at this moment. */
export function isSuspended(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
}

function startLines([file = "", ...args]: string[], cwd: string): Lines {
  const env = { ...process.env, HOME: cwd, NO_COLOR: "1" };
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  });
  const records: Lines["records"] = [];
  let rest = "";
  child.stdout.on("data", (data: Buffer) => {
    const at = performance.now();
    const lines = (rest + data.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith('{"')) records.push({ at, record: JSON.parse(line) as Printed });
    }
  });
  return { child, records, ended: once(child, "close").then(([code]) => code as number | null) };
}

/** When each of these loops began an action here, by id, once all of them did. */
export function begun(lines: Lines, action: string, ids: readonly string[]) {
  return firstOf(lines, ids, ({ recorded }) => {
    return recorded?.event.type === "action.started" && recorded.event.action === action;
  });
}

/** When the agent of each of these loops ran its first command here, once all of them did. */
export function atCommand(lines: Lines, ids: readonly string[]) {
  return firstOf(lines, ids, ({ activity }) => activity?.event.type === "command.started");
}

async function firstOf(
  { records }: Lines,
  ids: readonly string[],
  fits: (record: Printed) => boolean,
): Promise<Record<string, number>> {
  return vi.waitFor(() => {
    const times = ids.map((id) => {
      const found = records.find(({ record }) => record.id === id && fits(record));
      if (!found) throw new Error(`${id} is not that far: ${JSON.stringify(records.at(-1))}`);
      return [id, found.at] as const;
    });
    return Object.fromEntries(times);
  }, PATIENCE);
}
