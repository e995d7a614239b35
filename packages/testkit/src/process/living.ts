import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A process that still runs. A zombie is no such process: it is dead and only waits to be collected. */
export interface LivingProcess {
  pid: number;
  /** Its process group: the pid of the group's first process. */
  group: number;
}

const HAS_PROC = existsSync("/proc/self/stat");
const DEAD = /^[ZX]/;

/** Every process of this machine that still runs. */
export function livingProcesses(): LivingProcess[] {
  return HAS_PROC ? fromProc() : fromPs().map(({ pid, group }) => ({ pid, group }));
}

/** True while this process still runs. */
export function isAlive(pid: number): boolean {
  if (HAS_PROC) return procStat(pid) !== undefined;
  return fromPs().some((p) => p.pid === pid);
}

/** The pids of the processes whose command line contains `text`. */
export function processesRunning(text: string): number[] {
  if (!HAS_PROC) {
    return fromPs()
      .filter((p) => p.command.includes(text))
      .map((p) => p.pid);
  }
  return fromProc()
    .map((p) => p.pid)
    .filter((pid) => readProc(pid, "cmdline").toString().replaceAll("\0", " ").includes(text));
}

/**
 * True when the process was started with this `NAME=value`. Children inherit it however far they move away
 * (own group, own session), unless they clear their environment. Only Linux tells; elsewhere false.
 */
export function hasEnvironment(pid: number, assignment: string): boolean {
  return HAS_PROC && readProc(pid, "environ").includes(`${assignment}\0`);
}

function fromProc(): LivingProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => procStat(Number(name)))
    .filter((found) => found !== undefined);
}

function procStat(pid: number): LivingProcess | undefined {
  const stat = readProc(pid, "stat").toString("latin1");
  // "pid (name) state parent group …"; the name may contain anything, also ") ".
  const [state = "X", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || DEAD.test(state) ? undefined : { pid, group: Number(group) };
}

/** Empty when the process is gone or belongs to somebody else. */
function readProc(pid: number, file: "stat" | "cmdline" | "environ"): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return Buffer.alloc(0);
  }
}

function fromPs(): (LivingProcess & { command: string })[] {
  const lines = execFileSync("ps", ["-axww", "-o", "pid=,pgid=,stat=,command="], {
    encoding: "utf8",
  }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (!state || DEAD.test(state)) return [];
    return [{ pid: Number(pid), group: Number(group), command: command ?? "" }];
  });
}
