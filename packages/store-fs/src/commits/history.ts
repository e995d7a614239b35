import { join } from "node:path";
import { isLoopError, LoopError } from "@ccw-loop/core";
import type { Disk, FileInfo } from "../disk/disk.ts";
import { codeOf } from "../disk/node-errors.ts";
import type { Machine } from "../machine.ts";
import { isTemporary, type LoopPaths } from "../paths.ts";
import { revisionAdder } from "./add-revision.ts";
import { decodeCommit, type Stored } from "./commit.ts";
import { revisionFile, revisionFolder, revisionsIn, snapshotFile } from "./revision-names.ts";
import { spareFiles } from "./spare-files.ts";

/** How many revisions stay whole by default; older ones live on in the journal. */
const KEPT = 64;
/** Large ones are fewer, so that together they stay below this many bytes, but never fewer than `LEAST`. */
const ROOM = 32 * 1024 * 1024;
const LEAST = 8;
/** A file that is no commit (no code at all), or something else than a file in its place. */
const UNREADABLE = new Set(["", "EISDIR", "ELOOP", "ENXIO"]);
const SNAPSHOT_EVERY = 256;
const ABANDONED_MS = 60_000;

/** The commits of loops: numbered files that are never changed, only added. */
export interface History {
  /** All revisions that are there, the oldest first. */
  revisions(paths: LoopPaths): number[];
  /** Tells one file of that number from another; null when it is not there. */
  identity(paths: LoopPaths, revision: number): string | null;
  /** Milliseconds since 1970 at which the revision was written. */
  writtenAt(paths: LoopPaths, revision: number): number;
  /** Null when it is not there; throws `store_corrupt` when it cannot be read. */
  load(paths: LoopPaths, revision: number): Stored | null;
  /** Null also when it cannot be read. */
  tryLoad(paths: LoopPaths, revision: number): Stored | null;
  /**
   * Adds a revision; null when another commit has that number already. Everybody sees it when this resolves,
   * and it is safe when `durable` does. `from` is the folder the file is prepared in: when that vanishes
   * meanwhile nothing is added and `ENOENT` is thrown.
   */
  add(
    paths: LoopPaths,
    revision: number,
    text: string,
    from: string,
  ): Promise<{ durable: Promise<void> } | null>;
  /** Takes back a revision that was added by mistake. */
  withdraw(paths: LoopPaths, revision: number): Promise<void>;
  /** Keeps a copy of a damaged revision for good; answers with its path. */
  keepDamaged(paths: LoopPaths, revision: number): string;
  /** How many revisions stay whole, by the size of the newest. */
  kept(paths: LoopPaths, newest: number): number;
  /** Lets go of what is older than these, and of what crashed writers left. */
  trim(paths: LoopPaths, newest: number): Promise<void>;
  close(): void;
}

export function historyOn(disk: Disk, { wall }: Pick<Machine, "wall">, keep = KEPT): History {
  const spare = spareFiles(disk);
  const addRevision = revisionAdder(disk, spare);

  function infoOf(paths: LoopPaths, revision: number): FileInfo | null {
    return disk.info(revisionFile(paths, revision)) ?? disk.info(revisionFolder(paths, revision));
  }

  function pathOf(paths: LoopPaths, revision: number): string {
    const file = revisionFile(paths, revision);
    return disk.info(file) ? file : join(revisionFolder(paths, revision), "commit.json");
  }

  const history: History = {
    revisions: (paths) => revisionsIn(disk.list(paths.history)),
    identity: (paths, revision) => infoOf(paths, revision)?.instance ?? null,
    writtenAt: (paths, revision) => infoOf(paths, revision)?.modified ?? 0,
    load(paths, revision) {
      const file = history.identity(paths, revision);
      try {
        const text = disk.read(pathOf(paths, revision));
        if (text !== null) return decodeCommit(text, revision);
        if (file === null || history.identity(paths, revision) !== file) return null;
        throw new TypeError("There is a folder for it, and nothing in it.");
      } catch (error) {
        if (!UNREADABLE.has(codeOf(error))) throw error;
        // It was let go of while it was read, and its file may have been used again.
        if (history.identity(paths, revision) !== file) return null;
        throw damaged(paths.id, `revision ${revision} of its history cannot be read`, error);
      }
    },
    tryLoad(paths, revision) {
      try {
        return history.load(paths, revision);
      } catch (error) {
        if (isLoopError(error, "store_corrupt")) return null;
        throw error;
      }
    },
    async add(paths, revision, text, from) {
      const added = await addRevision(paths, revision, text, from);
      // A network file system may repeat a link that had succeeded: then the file is ours after all.
      if (!added && disk.read(pathOf(paths, revision)) !== text) return null;
      const durable = disk.syncFolder(paths.history);
      durable.catch(() => {});
      return { durable };
    },
    async withdraw(paths, revision) {
      disk.remove(revisionFile(paths, revision));
      const folder = revisionFolder(paths, revision);
      if (disk.info(folder)) await disk.removeTree(folder);
    },
    keepDamaged(paths, revision) {
      const path = pathOf(paths, revision);
      const copy = `${revisionFile(paths, revision)}.damaged`;
      // Whatever it is, its name stays taken: nobody may give this number to another commit.
      if (disk.info(path)?.kind !== "file") return path;
      if (!disk.info(copy)) disk.copy(path, copy);
      return copy;
    },
    kept(paths, newest) {
      const size = disk.info(pathOf(paths, newest))?.size ?? 0;
      return Math.max(LEAST, Math.min(keep, Math.floor(ROOM / Math.max(1, size))));
    },
    async trim(paths, newest) {
      const kept = history.kept(paths, newest);
      for (const revision of history.revisions(paths)) {
        if (revision > newest - kept) break;
        const file = revisionFile(paths, revision);
        const kind = disk.info(file)?.kind;
        if (!kind) await history.withdraw(paths, revision);
        else if (kind !== "file") spare.move(file, `${file}.damaged`);
        else if (revision % SNAPSHOT_EVERY === 0) spare.move(file, snapshotFile(paths, revision));
        else spare.give(paths.history, file);
      }
      const old = wall() - ABANDONED_MS;
      for (const name of disk.list(paths.history).filter(isTemporary)) {
        const path = join(paths.history, name);
        const info = spare.has(paths.history, path) ? null : disk.info(path);
        if (info && info.modified < old) await disk.removeTree(path);
      }
    },
    close: () => spare.close(),
  };
  return history;
}

/** The refusal of a loop that only recovery can read again. */
export function damaged(id: string, what: string, cause?: unknown): LoopError {
  return new LoopError(
    "store_corrupt",
    `Loop ${id} is damaged: ${what}. See what can be saved with: ccw-loop recover ${id}`,
    { cause },
  );
}
