import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";

/** The variable that every command of the agent inherits; its value names who answers for it. */
export const MARK_NAME = "CCW_LOOP_AGENT";

/** A process, told apart from a later one with the same pid and from one of another container. */
export interface Owner {
  /** Its pid namespace; empty where the system has none. */
  namespace: string;
  pid: number;
  /** When it started, in the system's own units; empty where we cannot tell. */
  started: string;
}

/** A new mark of this process, unique per agent session. */
export function newMark(): string {
  const { namespace, pid, started } = thisProcess();
  return [namespace, pid, started, randomUUID()].join(".");
}

/** Who made a mark; null for anything else. */
export function ownerOf(mark: string): Owner | null {
  const [, namespace, pid, started] = /^(\d*)\.(\d+)\.(\d*)\.[\w-]+$/.exec(mark) ?? [];
  if (namespace === undefined || started === undefined) return null;
  return { namespace, pid: Number(pid), started };
}

/** True only when we can be sure that the owner is gone. */
export function isGone(owner: Owner): boolean {
  const { namespace } = thisProcess();
  if (owner.namespace === "" || owner.namespace !== namespace) return false;
  return startOf(owner.pid) !== owner.started;
}

function thisProcess(): Owner {
  return { namespace: pidNamespace(), pid: process.pid, started: startOf(process.pid) };
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** Field 22 of the process's stat line, which follows the name in parentheses; empty when it is gone. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
