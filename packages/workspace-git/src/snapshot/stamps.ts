import { existsSync, lstatSync } from "node:fs";
import { lstat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { bytesOf, type RawPath } from "../raw-path.ts";

/**
 * When files, folders and settings were changed last, by absolute path: what was found out about them holds for as long as
 * that is so. No program can set the time of a change (`ctime`).
 */
export type Stamps = ReadonlyMap<RawPath, Stamp>;

interface Stamp {
  /** Empty where there is nothing. */
  identity: string;
  /** Nanoseconds since 1970, as the file system has it; 0 where there is nothing. */
  changed: bigint;
}

const AT_ONCE = 256;

/**
 * Null when one of them was changed since `began`, a time of the same file system: then nobody knows whether that was before
 * or after it was read.
 */
export async function stampsOf(paths: Iterable<RawPath>, began: bigint): Promise<Stamps | null> {
  const stamps = new Map<RawPath, Stamp>();
  for (const path of paths) {
    const stamp = stampOf(path);
    if (stamp.changed >= began) return null;
    stamps.set(path, stamp);
    if (stamps.size % AT_ONCE === 0) await setImmediate();
  }
  return stamps;
}

/** The time of the latest change since then, 0 where that cannot be told; null where nothing was changed. */
export async function changedSince(stamps: Stamps): Promise<bigint | null> {
  let latest: bigint | null = null;
  let looked = 0;
  for (const [path, { identity }] of stamps) {
    const now = stampOf(path);
    if (now.identity !== identity && (latest === null || now.changed > latest)) {
      latest = now.changed;
    }
    if (++looked % AT_ONCE === 0) await setImmediate();
  }
  return latest;
}

/** Looks synchronously, which is much faster for many files. */
function stampOf(path: RawPath): Stamp {
  try {
    const stats = lstatSync(bytesOf(path), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { identity: "", changed: 0n };
    const { ino, size, mode, mtimeNs, ctimeNs } = stats;
    return { identity: [ino, size, mode, mtimeNs, ctimeNs].join(" "), changed: ctimeNs };
  } catch (error) {
    // What cannot be looked at is the same as long as the reason is.
    return { identity: String((error as NodeJS.ErrnoException).code), changed: 0n };
  }
}

const CLOCK = "clock";

/** Whether the time was asked for there before. */
export function hasClock(folder: string): boolean {
  return existsSync(join(folder, CLOCK));
}

const TICK_MS = 2;
/** Clocks of file systems move on at least this often; where one does not, the files are only measured once more. */
const TICKS = 10;

/**
 * The time of the file system that a folder of ours lies on, in nanoseconds since 1970; later than `after`, which is at most one
 * step of its clock.
 */
export async function timeIn(folder: string, after = 0n): Promise<bigint> {
  const file = join(folder, CLOCK);
  await writeFile(file, "");
  for (let tick = 0; ; tick++) {
    const now = new Date();
    await utimes(file, now, now);
    const { ctimeNs } = await lstat(file, { bigint: true });
    if (ctimeNs > after || tick === TICKS) return ctimeNs;
    await setTimeout(TICK_MS);
  }
}
