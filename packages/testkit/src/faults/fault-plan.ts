import { type DiskCall, type DiskFault, READ_CALLS } from "./faulty-disk.ts";
import { OS_ERRORS } from "./os-error.ts";
import type { Random } from "./random.ts";

const WRITE_CALLS: readonly string[] = ["write", "writeDurably", "overwriteDurably", "writeAt"];

/** How badly a disk behaves. */
export interface FaultPlan {
  /** Of calls that change something, the share that fails; a part of those that write is cut short. */
  changing: number;
  /** Of calls that only look. */
  reading: number;
}

/** What goes wrong with a call by chance; nobody dies. */
export function faultByChance(random: Random, plan: FaultPlan, call: DiskCall): DiskFault | null {
  const reads = READ_CALLS.includes(call.name);
  if (!random.chance(reads ? plan.reading : plan.changing)) return null;
  const code = reads ? random.pick(["EIO", "EMFILE", "EACCES"]) : random.pick([...OS_ERRORS]);
  if (
    !WRITE_CALLS.includes(call.name) ||
    code === "EACCES" ||
    code === "EROFS" ||
    code === "EMFILE"
  ) {
    return { kind: "fail", code };
  }
  return { kind: "cut", code, share: random.next() };
}

/** The death of a process at a call: before it, in the middle of what it writes, or right behind it. */
export function deathByChance(random: Random): DiskFault {
  return {
    kind: "die",
    done: random.pick(["nothing", "share", "all"]),
    share: random.next(),
  };
}
