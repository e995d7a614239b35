import { tmpdir } from "node:os";
import type { LoopStore } from "@ccw-loop/core";
import type { Disk } from "../src/disk/disk.ts";
import { type Durability, nodeDisk } from "../src/disk/node-disk.ts";
import { type Ground, storeOn } from "../src/store-on.ts";

/** The calls that change something on the disk, in the order a crash could come between them. */
const CHANGING = new Set<keyof Disk>([
  "makeFolder",
  "write",
  "writeDurably",
  "overwriteDurably",
  "writeAt",
  "append",
  "rename",
  "link",
  "replace",
  "copy",
  "remove",
  "removeTree",
  "syncFolder",
  "syncFile",
]);

const WAITING = new Set<keyof Disk>([
  "writeDurably",
  "overwriteDurably",
  "append",
  "removeTree",
  "syncFolder",
  "syncFile",
]);

export interface Call {
  name: keyof Disk;
  /** The path that is made, changed or removed. */
  path: string;
  /** For calls that rename, link or copy. */
  from?: string;
  /** For calls that write. */
  text?: string;
  position?: number;
}

/** The real disk with something before every call that changes it; what `before` throws is what the call throws. */
export function faultyDisk(before: (call: Call) => void, durability: Durability = "process"): Disk {
  return new Proxy(nodeDisk(durability), {
    get(disk, name: keyof Disk) {
      const method = disk[name];
      if (!CHANGING.has(name)) return method;
      if (!WAITING.has(name)) {
        return (...args: unknown[]) => {
          before(callOf(name, args));
          return Reflect.apply(method, disk, args);
        };
      }
      return async (...args: unknown[]) => {
        before(callOf(name, args));
        await Reflect.apply(method, disk, args);
      };
    },
  });
}

function callOf(name: keyof Disk, args: unknown[]): Call {
  const [first, second] = args;
  const path = String(first);
  if (name === "writeAt") return { name, path, text: String(args[2]), position: Number(second) };
  if (/write|append/i.test(name)) return { name, path, text: String(second) };
  if (second === undefined) return { name, path };
  return { name, path: String(second), from: path };
}

/** A store on a disk and clock of the test's choice. */
export function testStore(root: string, ground: Partial<Ground> = {}): LoopStore {
  return storeOn({
    root,
    disk: nodeDisk("process"),
    now: () => new Date(),
    ticks: () => Number(process.hrtime.bigint() / 1_000_000n),
    warn: () => {},
    ...ground,
  });
}

/** What Node throws when the operating system answers with this code. */
export function osError(code: string, path = tmpdir()): Error {
  return Object.assign(new Error(`${code}: made by a test, '${path}'`), { code, path });
}

/** A disk that does not show one revision until `reveal`: as if it were read a moment earlier. */
export function hidingDisk(revision: number): { disk: Disk; reveal: () => void } {
  const disk = nodeDisk("process");
  let hidden = true;
  const isHidden = (path: string) => hidden && path.includes(String(revision).padStart(10, "0"));
  return {
    disk: {
      ...disk,
      info: (path) => (isHidden(path) ? null : disk.info(path)),
      list: (folder) => disk.list(folder).filter((name) => !isHidden(name)),
    },
    reveal: () => {
      hidden = false;
    },
  };
}
