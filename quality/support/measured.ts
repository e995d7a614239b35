import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const SAMPLE_MS = 10;

/** What a shell command took, with all the processes that it waited for: seconds, and MB of the process with the most. */
export interface Measured {
  wall: number;
  cpu: number;
  memory: number;
  exit: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of bash; `onLine` is told each line that it prints, with the pid of the shell. */
export async function measured(
  command: string,
  options: {
    cwd: string;
    env: NodeJS.ProcessEnv;
    timeout?: number;
    onLine?: (line: string, shell: number) => void;
  },
): Promise<Measured> {
  const { onLine, ...started } = options;
  const began = performance.now();
  const child = spawn("/bin/bash", ["-c", `(${command})\ncode=$?; times >&2; exit $code`], {
    ...started,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pid = child.pid ?? 0;
  let [stdout, stderr, memory] = ["", "", 0];
  createInterface(child.stdout).on("line", (line) => {
    stdout += `${line}\n`;
    onLine?.(line, pid);
  });
  child.stderr.on("data", (data) => (stderr += data));
  const ended = once(child, "close");
  let running = true;
  void ended.then(() => (running = false));
  while (running) {
    memory = Math.max(memory, highestMemory(pid));
    await Promise.race([sleep(SAMPLE_MS), ended]);
  }
  const wall = (performance.now() - began) / 1000;
  const [exit] = await ended;
  const [, user, system] = /(\d+m[\d.]+s) (\d+m[\d.]+s)\s*$/.exec(stderr) ?? [];
  return { wall, cpu: seconds(user) + seconds(system), memory, exit, stdout, stderr };
}

/** Seconds of CPU of a process, its children, and all of their children that ended (proc_pid_stat(5)). */
export function cpuBelow(pid: number): number {
  const ticks = [`${pid}`, ...childrenOf(`${pid}`)].map((one) => {
    try {
      const stat = readFileSync(`/proc/${one}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}

/** In MB, of the one process below the shell that has used the most. */
function highestMemory(shell: number): number {
  let most = 0;
  const below = childrenOf(`${shell}`);
  for (const pid of below) {
    most = Math.max(most, memoryAtMost(pid));
    below.push(...childrenOf(pid));
  }
  return most;
}

function memoryAtMost(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

function childrenOf(pid: string): string[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children.split(" ").filter((one) => one !== "");
  } catch {
    return [];
  }
}

function seconds(text = ""): number {
  const [, minutes = "0", rest = "0"] = /(\d+)m([\d.]+)s/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(rest);
}
