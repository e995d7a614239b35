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

export function thisProcess(): ProcessIdentity {
  const boot = quietly(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = quietly(() => readlinkSync("/proc/self/ns/pid"));
  return {
    pid: process.pid,
    started: startOf(process.pid),
    boot: boot ?? "",
    namespace: namespace ?? "",
  };
}

/** Whether that process lives; also true when that cannot be told from here. */
export function mayLive(other: ProcessIdentity, me: ProcessIdentity): boolean {
  if (other.boot !== me.boot) return false;
  if (other.namespace !== me.namespace) return true;
  if (other.started !== null) return startOf(other.pid) === other.started;
  try {
    process.kill(other.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Field 22 of `/proc/{pid}/stat`; zombies have ended. */
function startOf(pid: number): string | null {
  const stat = quietly(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" ? null : (fields?.[19] ?? null);
}

function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
