import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { startShown, statFields } from "./identity.ts";

/** Enough of a process to know it again: pids are reused, pid and start time together are not. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Its process group: the pid of the group's first process. */
  group: number;
  /** 0 where it is not known. */
  session: number;
  /** 0 for none. */
  terminal: number;
  started: string;
  /** Only where there is no /proc. */
  command?: string;
}

const HAS_PROC = existsSync("/proc/self/stat");
const KERNEL_THREAD = 0x00200000;
const EXITING = 0x4;

/**
 * Every process of this machine that still runs, but those that need no look; a zombie is dead and only waits to be
 * collected, and threads of the kernel are nobody's.
 */
export function runningProcesses(except: ReadonlySet<number> = new Set()): ProcessInfo[] {
  if (!HAS_PROC) return fromPs();
  return pids().flatMap((pid) => (except.has(pid) ? [] : (fromStat(pid) ?? [])));
}

/** The process itself, its parent, and so on, without the first one of the system. */
export function parentsOf(pid: number): ProcessInfo[] {
  const all = HAS_PROC ? [] : fromPs();
  const find = HAS_PROC ? fromStat : (one: number) => all.find((other) => other.pid === one);
  const chain: ProcessInfo[] = [];
  for (let at = find(pid); at && at.pid > 1; at = find(at.parent)) {
    if (chain.some((one) => one.pid === at?.pid)) break;
    chain.push(at);
  }
  return chain;
}

/** The name of its program; empty where it cannot be read. */
export function nameOf(pid: number): string {
  return HAS_PROC ? read(pid, "comm").trim() : "";
}

/** As it was when the process was started; empty when it is gone, belongs to somebody else or has none. */
export function environOf(pid: number): string {
  return HAS_PROC ? read(pid, "environ") : "";
}

export function commandLineOf({ pid, command }: Pick<ProcessInfo, "pid" | "command">): string {
  return command ?? read(pid, "cmdline").replaceAll("\0", " ").trim();
}

/**
 * A process that is just being started shows neither environment nor arguments for an instant, which on a loaded
 * machine can be long: nobody can tell yet whose it is.
 */
export function isBeingStarted(pid: number): boolean {
  if (!HAS_PROC || read(pid, "cmdline") !== "" || read(pid, "environ") !== "") return false;
  const fields = statFields(read(pid, "stat"));
  return fields.length > 0 && (Number(fields[6]) & (KERNEL_THREAD | EXITING)) === 0;
}

/** Hundredths of a second since the boot, as start times are counted; null where they are counted otherwise. */
export function ticksNow(): number | null {
  if (!HAS_PROC) return null;
  const [uptime = ""] = readFileSync("/proc/uptime", "latin1").split(" ");
  return Math.floor(Number(uptime) * 100);
}

function pids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function fromStat(pid: number): ProcessInfo | null {
  const fields = statFields(read(pid, "stat"));
  const [state = "X"] = fields;
  const [parent = 0, group = 0, session = 0, terminal = 0] = fields.slice(1, 5).map(Number);
  // Of a process that ends, the first thread may be dead while others still run.
  const threads = Number(fields[17]);
  if (state === "X" || (state === "Z" && !(threads > 1))) return null;
  if ((Number(fields[6]) & KERNEL_THREAD) !== 0) return null;
  return { pid, parent, group, session, terminal, started: fields[19] ?? "" };
}

/** Why a look fails that would succeed a little later. */
const NOT_NOW = new Set<unknown>(["EMFILE", "ENFILE", "ENOMEM"]);

/** Empty when it is gone or belongs to somebody else. Throws when that cannot be told now: too many files are open, say. */
function read(pid: number, file: "stat" | "environ" | "cmdline" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && NOT_NOW.has(error.code)) throw error;
    return "";
  }
}

const PS = ["-axwwo", "pid=,ppid=,pgid=,stat=,lstart=,command="];
const PS_LINE = /^\s*(\d+\s+\d+\s+\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ +[\d:]+ +\d+)\s+(.*)$/;

function fromPs(): ProcessInfo[] {
  const shown = execFileSync("ps", PS, {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return shown.split("\n").flatMap((line) => {
    const [, ids = "", state, start = "", command = ""] = PS_LINE.exec(line) ?? [];
    if (!state || state.startsWith("Z")) return [];
    const [pid = 0, parent = 0, group = 0] = ids.trim().split(/\s+/).map(Number);
    const started = startShown(start) ?? "";
    return [{ pid, parent, group, session: 0, terminal: 1, started, command }];
  });
}
