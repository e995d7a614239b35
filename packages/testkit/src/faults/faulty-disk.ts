import type { Random } from "./random.ts";

/** One call to a disk, as far as it matters to what may go wrong with it. */
export interface DiskCall {
  name: keyof FaultableDisk;
  /** What is read, made, changed or removed. */
  path: string;
  /** For calls that rename, link or copy. */
  from?: string;
  /** For calls that write. */
  text?: string;
  /** Where `writeAt` writes, in bytes. */
  position?: number;
}

/** What goes wrong with a call. A `share` (0 to 1) of what it writes reaches the disk. */
export type DiskFault =
  | { kind: "fail"; code: string }
  | { kind: "cut"; code: string; share: number }
  /** The process dies: nothing of this call (or a share of what it writes, or all of it), and nothing later, happens. */
  | { kind: "die"; done: "nothing" | "share" | "all"; share: number };

/** The verbs of a store's disk, in no package's own words: `Disk` of `@ccw-loop/store-fs` has this shape. */
export interface FaultableDisk {
  read(path: string): unknown;
  readBytes(path: string, start: number, length: number): unknown;
  list(folder: string): unknown;
  listLarge(folder: string): Promise<unknown>;
  makeFolder(path: string): unknown;
  write(path: string, content: string | Buffer): void;
  writeDurably(path: string, text: string): Promise<void>;
  overwriteDurably(path: string, text: string): Promise<void>;
  writeAt(path: string, position: number, text: string): void;
  append(path: string, text: string): Promise<void>;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  replace(from: string, to: string): unknown;
  copy(from: string, to: string): void;
  remove(path: string): void;
  removeTree(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  syncFile(path: string): Promise<void>;
}

export const READ_CALLS: readonly (keyof FaultableDisk)[] = [
  "read",
  "readBytes",
  "list",
  "listLarge",
];

const ASYNC_CALLS: readonly (keyof FaultableDisk)[] = [
  ...(["listLarge", "writeDurably", "overwriteDurably", "append"] as const),
  ...(["removeTree", "syncFolder", "syncFile"] as const),
];
const NAMES: readonly (keyof FaultableDisk)[] = [
  ...new Set([...READ_CALLS, ...ASYNC_CALLS]),
  ...(["makeFolder", "write", "writeAt", "rename", "link", "replace", "copy", "remove"] as const),
];

/**
 * The disk with something before every call: `judge` says what goes wrong with it, null for nothing; what it throws, the
 * call throws. `die` is the
 * death of the process: it must throw, for this call and every later one. A call that answers later never answers a
 * dead process.
 */
export function faultyDisk<D extends FaultableDisk>(
  disk: D,
  faultFor: (call: DiskCall) => DiskFault | null,
  die: (call: DiskCall) => never,
): D {
  const part = (text: string, share: number) => text.slice(0, Math.floor(text.length * share));

  /** What of a call reaches the disk when it is cut short: the beginning of what it writes. */
  function leave({ name, path, text, position }: DiskCall, share: number): void {
    if (text === undefined) return;
    if (name === "write" || name === "writeDurably") disk.write(path, part(text, share));
    else if (name !== "append") disk.writeAt(path, position ?? 0, part(text, share));
  }

  const around = (name: keyof FaultableDisk) => {
    const real = disk[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]): unknown => {
      const call = callOf(name, args);
      let fault: DiskFault | null = null;
      try {
        fault = faultFor(call);
        if (fault === null) return real.apply(disk, args);
        if (fault.kind === "fail") throw osError(fault.code, call.path);
        if (fault.kind === "cut") {
          leave(call, fault.share);
          throw osError(fault.code, call.path);
        }
        if (fault.done === "share") leave(call, fault.share);
        if (fault.done === "all") real.apply(disk, args);
        return die(call);
      } catch (error) {
        if (!ASYNC_CALLS.includes(name)) throw error;
        return fault?.kind === "die"
          ? new Promise(() => undefined)
          : Promise.reject(error as Error);
      }
    };
  };
  return { ...disk, ...Object.fromEntries(NAMES.map((name) => [name, around(name)])) };
}

function callOf(name: keyof FaultableDisk, args: readonly unknown[]): DiskCall {
  const [first, second] = args;
  const path = String(first);
  if (name === "writeAt") return { name, path, text: String(args[2]), position: Number(second) };
  if (/write|append/i.test(name)) return { name, path, text: String(second) };
  if (typeof second !== "string") return { name, path };
  return { name, path: second, from: path };
}

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

/** What an operating system answers when a disk, a table or a right is used up. */
export const OS_ERRORS = ["ENOSPC", "EIO", "EMFILE", "EACCES", "EROFS"] as const;

/** What Node throws when the operating system answers with this code. */
export function osError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: made by a test, '${path}'`), { code, path });
}
