import { readFileSync, readlinkSync } from "node:fs";

/** Names one process of one boot of one machine; a process id alone comes again. */
export interface ProcessIdentity {
  pid: number;
  /** When the process began, as its kernel counts; null where that cannot be read. */
  started: string | null;
  /** Empty where it cannot be read. */
  boot: string;
  /** The process id namespace: containers count their processes for themselves. */
  namespace: string;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    started: startOf(process.pid),
    boot: quietly(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "",
    namespace: quietly(() => readlinkSync("/proc/self/ns/pid")) ?? "",
  };
  return own;
}

/** Whether a process is, or was, of this boot and this namespace, so that its pid means something here. */
export function isHere({ boot, namespace }: ProcessIdentity): boolean {
  const me = thisProcess();
  return boot === me.boot && namespace === me.namespace;
}

/** Whether that process lives; also true when that cannot be told from here. A suspended process lives. */
export function mayLive(other: ProcessIdentity, me = thisProcess()): boolean {
  if (other.boot !== me.boot) return false;
  if (other.namespace !== me.namespace) return true;
  if (other.started !== null) {
    const started = startNow(other.pid);
    return started === undefined || started === other.started;
  }
  try {
    process.kill(other.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Ticks since the boot where there is a /proc, else milliseconds since 1970; null for none, and for a zombie. */
export function startOf(pid: number): string | null {
  return startNow(pid) ?? null;
}

/** Undefined when it cannot be told now: too many files are open, say. */
function startNow(pid: number): string | null | undefined {
  const stat = statOf(pid);
  if (stat === undefined) return undefined;
  if (stat !== null) {
    const fields = statFields(stat);
    return fields[0] === "Z" ? null : (fields[19] ?? null);
  }
  if (process.platform === "linux") return null;
  // Not imported: every command that only looks would load it, and with it half of the network.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const shown = quietly(() =>
    execFileSync("ps", ["-o", "lstart=", "-p", `${pid}`], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: "pipe",
    }),
  );
  return startShown(shown ?? "");
}

/** What follows the name in `/proc/PID/stat`: that stands in parentheses and may itself hold any of them. */
export function statFields(stat: string): string[] {
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The start time as `ps -o lstart` shows it. */
export function startShown(text: string): string | null {
  const at = Date.parse(text.trim());
  return Number.isNaN(at) ? null : `${at}`;
}

const GONE = new Set<unknown>(["ENOENT", "ESRCH"]);

/** Null when there is none. */
function statOf(pid: number): string | null | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    return error instanceof Error && "code" in error && GONE.has(error.code) ? null : undefined;
  }
}

function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
