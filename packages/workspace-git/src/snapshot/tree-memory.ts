import type { OpenRepository } from "../git/repository.ts";
import type { RawPath } from "../raw-path.ts";
import type { Filters } from "./filters.ts";
import { changedSince, hasClock, type Stamps, stampsOf, timeIn } from "./stamps.ts";
import type { WorkTreeStatus } from "./status.ts";

/** A repository whose working tree is measured. */
export interface MeasuredRepository extends OpenRepository {
  memory: TreeMemory;
}

/** What was found out about a working tree. */
export interface Measured {
  /** The name of the whole content. */
  tree: string;
  /** What a checkpoint goes on with; null where it has to look at the files more closely. */
  plain: { filters: Filters; status: WorkTreeStatus } | null;
  /** The last checkpoint of it; null before one. */
  kept: KeptCheckpoint | null;
}

export interface KeptCheckpoint {
  id: string;
  commit: string;
  /** The user's HEAD commit then; null before the first one. */
  head: string | null;
  /** The tree that it keeps, byte for byte. */
  raw: string;
}

/** The newest measure of one working tree, for as long as nothing is changed that it rests on. */
export class TreeMemory {
  #newest: { without: string; stamps: Stamps; measured: Measured } | null = null;
  #lastChange = 0n;

  /** `objects` is the folder in which its tree is kept. Null where the files have to be measured (again). */
  async recall(objects: string, without: ReadonlySet<string>): Promise<Measured | null> {
    const newest = this.#newest;
    if (newest?.without !== nameOf(without)) return null;
    const change = hasClock(objects) ? await changedSince(newest.stamps) : 0n;
    if (change === null) return newest.measured;
    this.forget();
    this.#lastChange = change;
    return null;
  }

  /** The time at which a measure begins; later than the last change, so that it can be remembered. */
  begin(objects: string): Promise<bigint> {
    return timeIn(objects, this.#lastChange);
  }

  /** Unless one of the files and folders in `paths` was changed since the measure began. */
  async remember(
    measured: Measured,
    {
      began,
      without,
      paths,
    }: { began: bigint; without: ReadonlySet<string>; paths: Iterable<RawPath> },
  ): Promise<void> {
    const stamps = await stampsOf(paths, began);
    this.#newest = stamps && { without: nameOf(without), stamps, measured };
  }

  /** False when there was nothing to forget. */
  forget(): boolean {
    const had = this.#newest !== null;
    this.#newest = null;
    return had;
  }
}

function nameOf(without: ReadonlySet<string>): string {
  return [...without].sort().join("\0");
}
