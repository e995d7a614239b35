import { tmpdir } from "node:os";
import type { LoopStore } from "@ccw-loop/core";
import {
  type DiskCall as Call,
  osError as errorOf,
  faultyDisk as faulty,
  READ_CALLS,
} from "@ccw-loop/testkit";
import type { Disk } from "../src/fs/disk.ts";
import { type Durability, nodeDisk } from "../src/fs/node-disk.ts";
import { createStore, type StoreDeps } from "../src/fs-store.ts";

/** The real disk with something before every call that changes it; what `before` throws is what the call throws. */
export function faultyDisk(before: (call: Call) => void, durability: Durability = "process"): Disk {
  return faulty(
    nodeDisk(durability),
    (call) => {
      if (!READ_CALLS.includes(call.name)) before(call);
      return null;
    },
    () => {
      throw new TypeError("Nothing dies here but by what is thrown.");
    },
  );
}

/** A store on a disk and clock of the test's choice. */
export function testStore(root: string, ground: Partial<StoreDeps> = {}): LoopStore {
  return createStore({
    root,
    disk: nodeDisk("process"),
    warn: () => {},
    ...ground,
  });
}

/** What Node throws when the operating system answers with this code. */
export function osError(code: string, path = tmpdir()): Error {
  return errorOf(code, path);
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

export type { Call };
