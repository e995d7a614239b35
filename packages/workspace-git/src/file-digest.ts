import type { BigIntStats } from "node:fs";
import type { RawPath } from "./raw-path.ts";

export { fileDigest } from "@ccw-loop/processes/plain-file";

const SETTLED_NS = 2_000_000_000n;

/** What was read of files, for as long as their size, times and inode are as they were. */
export class StampCache<T> {
  readonly #remembered = new Map<RawPath, { stamp: string; value: T }>();

  get(path: RawPath, stats: BigIntStats): T | undefined {
    const known = this.#remembered.get(path);
    return known?.stamp === stampOf(stats) ? known.value : undefined;
  }

  /** `nowMs`: before it was read, in milliseconds since 1970. */
  set(path: RawPath, stats: BigIntStats, value: T, nowMs: number): void {
    if (isSettled(stats, nowMs)) this.#remembered.set(path, { stamp: stampOf(stats), value });
    else this.#remembered.delete(path);
  }
}

/** Whether a file was changed so long before `nowMs` that its next change gives it another status. */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, nowMs: number): boolean {
  const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return changed + SETTLED_NS < BigInt(nowMs) * 1_000_000n;
}

/** Tells a file from another one, and from itself after it was written. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join(" ");
}
