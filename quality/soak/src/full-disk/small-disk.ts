import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LoopService, LoopStore } from "@ccw-loop/core";
import type { DiskUser } from "../workers/messages.ts";

/** A project whose loops lie on a file system that can be filled. */
export interface SmallDisk {
  /** The project; only its `.workflow` is small. */
  root: string;
  store: LoopStore;
  service: LoopService;
  filler: Filler;
  /** Called back for each commit that is about to be made, until the returned function is called. */
  onCommit(listener: () => void): () => void;
  /** Steps that worked although the disk was full, or were refused because it was. */
  tried: { done: number; refused: Record<DiskUser, number> };
  note(problem: string): void;
}

const PAGE = Buffer.alloc(4096, "x");

/** Takes up the space of a small file system. */
export interface Filler {
  /** Leaves so many pages of 4 KB. */
  fill(free: number): void;
  empty(): void;
}

export function filler(folder: string): Filler {
  const path = join(folder, "filler");
  return {
    fill(free) {
      const file = openSync(path, "w");
      try {
        let pages = 0;
        while (hasTaken(file)) pages += 1;
        ftruncateSync(file, Math.max(0, pages - free) * PAGE.length);
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(path, { force: true }),
  };
}

function hasTaken(file: number): boolean {
  try {
    writeSync(file, PAGE);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
