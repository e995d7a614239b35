import type { LoopService, LoopStore } from "../../../packages/core/src/index.ts";
import type { DiskUser } from "../workers/told.ts";
import type { Filler } from "./filler.ts";

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
