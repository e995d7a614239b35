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
  /** The path that is changed: the last one that the call names. */
  path: string;
  /** What it writes, for calls that do. */
  text: string | undefined;
  position?: number;
}

/** The real disk with something before every call that changes it; what `before` throws is what the call throws. */
export function faultyDisk(before: (call: Call) => void, durability: Durability = "process"): Disk {
  return new Proxy(nodeDisk(durability), {
    get(disk, name: keyof Disk) {
      const method = disk[name];
      if (!CHANGING.has(name)) return method;
      return (...args: unknown[]) => {
        const writes = /write|append/i.test(name);
        const text = writes ? String(args.at(-1)) : undefined;
        const at = name === "writeAt" ? { position: Number(args[1]) } : {};
        const call = { name, path: String(writes ? args[0] : (args[1] ?? args[0])), text, ...at };
        if (!WAITING.has(name)) {
          before(call);
          return Reflect.apply(method, disk, args);
        }
        return (async () => {
          before(call);
          await Reflect.apply(method, disk, args);
        })();
      };
    },
  });
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
