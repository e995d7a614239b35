import { join } from "node:path";
import { isLoopError, LAST_REVISION, type LoopError, systemCode } from "@ccw-loop/core";
import { isNoPlainFile } from "@ccw-loop/processes/plain-file";
import type { Disk, FileInfo } from "../fs/disk.ts";
import { damaged, notFound } from "../fs/errors.ts";
import { isTemporary, type LoopPaths, temporary } from "../paths.ts";
import type { Runtime } from "../runtime.ts";
import { type Change, type CommitHead, isTombstone, type StoredCommit } from "./commit-form.ts";
import {
  BEGINNING_BYTES,
  baseIn,
  changedBy,
  decodeCommit,
  decodeEvents,
  ENDING,
  etagAtEndOf,
} from "./decode.ts";
import { revisionFiles } from "./revision-files.ts";
import { isNearTheEnd, revisionFile, revisionsIn } from "./revision-names.ts";

/** How many revisions stay by default; older ones live on in the journal. */
const KEPT = 64;
/** How many of the newest are looked through at most: more are kept for a moment, until they are let go of. */
const LOOKED_THROUGH = 2 * KEPT;
/** Large ones are fewer, so that together they stay below this many bytes, but never fewer than `MIN_KEPT`. */
const ROOM = 32 * 1024 * 1024;
const MIN_KEPT = 8;
const ABANDONED_MS = 60_000;

export type History = ReturnType<typeof createHistory>;

/** The commits of loops: numbered files that are never changed, only added. */
export function createHistory(disk: Disk, { wall }: Pick<Runtime, "wall">, keep = KEPT) {
  const files = revisionFiles(disk);

  function infoOf(paths: LoopPaths, revision: number): FileInfo | null {
    return revision > LAST_REVISION ? null : disk.info(revisionFile(paths, revision));
  }

  /** Tells one file of that number from another; null when it is not there. */
  function identity(paths: LoopPaths, revision: number): string | null {
    return infoOf(paths, revision)?.instance ?? null;
  }

  /** All revisions that are there, the oldest first. */
  function revisions(paths: LoopPaths): number[] {
    return revisionsIn(disk.list(paths.history));
  }

  /**
   * Null when it is not there; throws `store_corrupt` when it, or one that it rests on, cannot be read, `loop_not_found`
   * for a tombstone. What rests on `known`, a commit of this loop, is read from there on.
   */
  function load(
    paths: LoopPaths,
    revision: number,
    known?: StoredCommit | null,
  ): StoredCommit | null {
    const newest = read(paths, revision, decodeCommit);
    if (newest === null || "commit" in newest) return newest;
    const changes = [newest];
    for (let before = revision - 1; ; before -= 1) {
      if (before < newest.file.base) throw unreadable(paths, newest.file.base, null);
      const start = known?.commit.revision === before ? known : changeOrWhole(before);
      if ("commit" in start) return fold(start);
      changes.unshift(start);
    }

    function changeOrWhole(one: number): StoredCommit | Change {
      const file = read(paths, one, decodeCommit);
      if (file) return file;
      throw damaged(paths.id, `revision ${one} of its history, which later ones rest on, is gone`);
    }

    function fold(start: StoredCommit): StoredCommit {
      try {
        return changedBy(start, changes);
      } catch (cause) {
        // What was remembered may be of files that somebody replaced.
        if (start === known) return load(paths, revision) as StoredCommit;
        throw unreadable(paths, revision, cause);
      }
    }
  }

  /** Those of the revisions, which are in order, that can be read. */
  function* tryLoadAll(paths: LoopPaths, wanted: readonly number[]): Generator<StoredCommit> {
    let known: StoredCommit | null = null;
    for (const revision of wanted) {
      const stored: StoredCommit | null = unlessDamaged(() => load(paths, revision, known));
      if (!stored) continue;
      known = stored;
      yield stored;
    }
  }

  /** The revision that one rests on: its own when it is whole, or cannot be read. */
  function baseOf(paths: LoopPaths, revision: number): number {
    if (infoOf(paths, revision)?.kind !== "file") return revision;
    const beginning = disk.readBytes(revisionFile(paths, revision), 0, BEGINNING_BYTES);
    return baseIn(beginning.toString()) ?? revision;
  }

  /** How many revisions stay: all that may, where as many of the size of the newest whole one have room. */
  function kept(paths: LoopPaths, newest: number): number {
    const sizeOf = (revision: number) => infoOf(paths, revision)?.size ?? 0;
    if (Math.max(sizeOf(newest), sizeOf(baseOf(paths, newest))) * keep <= ROOM) return keep;
    let size = 0;
    for (let count = 0; count < Math.min(keep, newest); count += 1) {
      size += sizeOf(newest - count);
      if (size > ROOM) return Math.min(keep, Math.max(MIN_KEPT, count));
    }
    return keep;
  }

  /** Gives a file of any size another name, and its own to an empty one. */
  function putAnother(paths: LoopPaths, path: string, name: string): void {
    const empty = temporary(paths.history);
    disk.write(empty, "");
    disk.link(path, name);
    disk.rename(empty, path);
  }

  function read<T>(
    paths: LoopPaths,
    revision: number,
    decode: (text: string, revision: number, id: string) => T,
  ): T | null {
    const file = identity(paths, revision);
    try {
      const text = disk.read(revisionFile(paths, revision));
      if (text === null) return null;
      if (isTombstone(text)) throw notFound(paths.id);
      return decode(text, revision, paths.id);
    } catch (error) {
      // What holds no commit has no code at all.
      if (systemCode(error) !== "" && !isNoPlainFile(error)) throw error;
      // It was let go of while it was read, and its file may have been used again.
      if (identity(paths, revision) !== file) return null;
      throw unreadable(paths, revision, error);
    }
  }

  return {
    revisions,
    identity,
    load,
    kept,
    /** The newest of them, a bounded number, the oldest first. */
    recent: (paths: LoopPaths) => revisions(paths).slice(-LOOKED_THROUGH),
    /** Those above `after` up to `upTo` that may be there, in order: never more than the folder holds. */
    between(paths: LoopPaths, after: number, upTo: number): number[] {
      const most = upTo - after;
      if (most <= LOOKED_THROUGH)
        return Array.from({ length: Math.max(0, most) }, (_, i) => after + 1 + i);
      return revisions(paths).filter((revision) => revision > after && revision <= upTo);
    },
    /** Milliseconds since 1970 at which the revision was written. */
    writtenAt: (paths: LoopPaths, revision: number) => infoOf(paths, revision)?.modified ?? 0,
    /** Null also when it cannot be read. */
    tryLoad: (paths: LoopPaths, revision: number) => unlessDamaged(() => load(paths, revision)),
    tryLoadAll,
    /** What happened in it, without its state; null like `tryLoad`. */
    tryEvents: (paths: LoopPaths, revision: number): CommitHead | null =>
      unlessDamaged(() => read(paths, revision, decodeEvents)),
    /** The etag of the state as it was committed; null when it is not there. Reads the end of the file only. */
    etag(paths: LoopPaths, revision: number): string | null {
      if (revision > LAST_REVISION) return null;
      const path = revisionFile(paths, revision);
      const info = disk.info(path);
      if (info?.kind !== "file") return null;
      const start = Math.max(0, info.size - ENDING);
      return etagAtEndOf(disk.readBytes(path, start, ENDING).toString());
    },
    /** The revision of the tombstone, where that is the newest; null for a loop that is not removed. */
    removedAt(paths: LoopPaths): number | null {
      const newest = revisions(paths).at(-1);
      if (newest === undefined) return null;
      try {
        load(paths, newest);
        return null;
      } catch (error) {
        return isLoopError(error, "loop_not_found") ? newest : null;
      }
    },
    /**
     * Adds a revision; false when another commit has that number already. Everybody sees it when this resolves,
     * and it is safe behind `syncHistory`. `from` is the folder the file is prepared in: when that vanishes
     * meanwhile nothing is added and `ENOENT` is thrown.
     */
    async add(paths: LoopPaths, revision: number, text: string, from: string): Promise<boolean> {
      const added = await files.add(paths, revision, text, from);
      // A network file system may repeat a link that had succeeded: then the file is ours after all.
      return added || disk.read(revisionFile(paths, revision)) === text;
    },
    /** Takes back a revision that was added by mistake. */
    withdraw(paths: LoopPaths, revision: number): void {
      disk.remove(revisionFile(paths, revision));
    },
    /**
     * Keeps a damaged revision under another name; answers with its path. Its number stays taken, unless no commit
     * could follow it.
     */
    keepDamaged(paths: LoopPaths, revision: number): string {
      const path = revisionFile(paths, revision);
      const copy = `${revisionFile(paths, revision)}.damaged`;
      if (isNearTheEnd(revision)) {
        files.move(path, copy);
        return copy;
      }
      // Whatever it is, its name stays taken: nobody may give this number to another commit.
      if (disk.info(path)?.kind !== "file") return path;
      if (!disk.info(copy)) putAnother(paths, path, copy);
      return copy;
    },
    /** Lets go of what is older than these and than what they rest on, and of what crashed writers left. */
    async trim(paths: LoopPaths, newest: number): Promise<void> {
      const oldest = baseOf(paths, Math.max(1, newest - kept(paths, newest) + 1));
      for (const revision of revisions(paths)) {
        if (revision >= oldest) break;
        const file = revisionFile(paths, revision);
        if (disk.info(file)?.kind === "file") files.give(paths.history, file);
        else files.move(file, `${file}.damaged`);
      }
      const old = wall() - ABANDONED_MS;
      for (const name of disk.list(paths.history).filter(isTemporary)) {
        const path = join(paths.history, name);
        const info = files.has(paths.history, path) ? null : disk.info(path);
        if (info && info.modified < old) await disk.removeTree(path);
      }
    },
    close: () => files.close(),
  };
}

function unreadable(paths: LoopPaths, revision: number, cause: unknown): LoopError {
  return damaged(paths.id, `revision ${revision} of its history cannot be read`, { cause });
}

function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isLoopError(error, "store_corrupt")) return null;
    throw error;
  }
}
