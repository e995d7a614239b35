import type { BigIntStats } from "node:fs";
import type { RawPath } from "./raw-path.ts";

export { fileDigest } from "@ccw-loop/processes/plain-file";

/** A file that was changed this shortly before it was read may change again without a new time. */
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
    const { mtimeNs, ctimeNs } = stats;
    const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
    if (changed + SETTLED_NS < BigInt(nowMs) * 1_000_000n) {
      this.#remembered.set(path, { stamp: stampOf(stats), value });
    } else this.#remembered.delete(path);
  }
}

/** Tells a file from another one, and from itself after it was written. */
export function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join(" ");
}
