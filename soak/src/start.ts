import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Told } from "./workers/told.ts";

export interface Worker {
  program: string;
  role: string;
  task: unknown;
  /** A command that runs the rest of its line in other surroundings. */
  prefix?: string[];
}

export interface Started {
  child: ChildProcess;
  /** Resolves when it is gone and everything it told was heard. */
  gone: Promise<{ signal: NodeJS.Signals | null }>;
  /** The end of what it wrote on stderr. */
  complaint(): string;
}

const KEPT = 4000;

/** Starts a worker; `hear` is called with everything it tells. */
export function start(
  { program, role, task, prefix = [] }: Worker,
  hear: (told: Told) => void,
): Started {
  const line = [...prefix, process.execPath, program, role, JSON.stringify(task)];
  const child = spawn(line[0] ?? "", line.slice(1), {
    stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-KEPT);
  });
  const lines = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    const told = parsed(line);
    if (told) hear(told);
  });
  const heard = once(lines, "close");
  const gone = once(child, "close").then(async ([, signal]) => {
    await heard;
    return { signal: signal as NodeJS.Signals | null };
  });
  return { child, gone, complaint: () => stderr };
}

/** The last line of a process that was killed may be cut off. */
function parsed(line: string): Told | undefined {
  try {
    return JSON.parse(line) as Told;
  } catch {
    return undefined;
  }
}
