import { join } from "node:path";
import { isMissing, systemCode } from "@ccw-loop/core";
import type { Disk } from "../fs/disk.ts";
import { type LoopPaths, temporary } from "../paths.ts";
import { revisionFile, revisionFolder } from "./revision-names.ts";

const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "EPERM"]);

/**
 * Prepares a file in the folder `from`, durably, and gives it the name of a revision; false when that name is
 * taken. Throws `ENOENT` when `from` vanished meanwhile.
 */
export type AddRevision = (
  paths: LoopPaths,
  revision: number,
  text: string,
  from: string,
) => Promise<boolean>;

/**
 * Of several writers the file system lets exactly one have a name: it refuses to link a second file to it,
 * and, where hard links do not exist, to rename a second folder to it.
 */
export function createRevisionAdder(disk: Disk, spare: SpareFiles): AddRevision {
  let links = true;

  const link: AddRevision = async (paths, revision, text, from) => {
    const reused = await spare.use(paths.history, from, text);
    const draft = reused ?? temporary(from);
    try {
      if (reused === null) await disk.writeDurably(draft, text);
      disk.link(draft, revisionFile(paths, revision));
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      if (!NO_LINKS.has(systemCode(error)) || !disk.info(draft)) throw error;
      links = false;
      return await rename(paths, revision, text, from);
    } finally {
      disk.remove(draft);
    }
  };

  const rename: AddRevision = async (paths, revision, text, from) => {
    const draft = temporary(from);
    if (disk.info(revisionFile(paths, revision))) return false;
    try {
      disk.makeFolder(draft);
      await disk.writeDurably(join(draft, "commit.json"), text);
      await disk.syncFolder(draft);
      disk.rename(draft, revisionFolder(paths, revision));
      return true;
    } catch (error) {
      await disk.removeTree(draft);
      if (TAKEN.has(systemCode(error)) && disk.info(revisionFolder(paths, revision))) return false;
      throw error;
    }
  };

  return (...work) => (links ? link : rename)(...work);
}

/**
 * Files of revisions that were let go of, to be used again for new ones: writing over a file costs a fraction
 * of deleting one and making another. They lie in the history under temporary names.
 */
export interface SpareFiles {
  /** Takes the file away from its name. */
  give(folder: string, file: string): void;
  /** Renames a file; false when another process took it away first. */
  move(from: string, to: string): boolean;
  /** Gives a spare file of that folder new content and moves it into `target`; null when there is none. */
  use(folder: string, target: string, text: string): Promise<string | null>;
  has(folder: string, path: string): boolean;
  /** Deletes them all. Never throws: what cannot be deleted is left to whoever lets go of old revisions later. */
  close(): void;
}

export function spareFiles(disk: Disk): SpareFiles {
  const spares = new Map<string, string[]>();

  function move(from: string, to: string): boolean {
    try {
      disk.rename(from, to);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  return {
    move,
    give(folder, file) {
      const path = temporary(folder);
      if (!move(file, path)) return;
      const own = spares.get(folder) ?? [];
      spares.set(folder, own);
      own.push(path);
    },
    async use(folder, target, text) {
      const spare = spares.get(folder)?.pop();
      if (spare === undefined) return null;
      const path = target === folder ? spare : temporary(target);
      if (path !== spare && !move(spare, path)) return null;
      try {
        await disk.overwriteDurably(path, text);
        return path;
      } catch (error) {
        disk.remove(path);
        if (isMissing(error)) return null;
        throw error;
      }
    },
    has: (folder, path) => spares.get(folder)?.includes(path) ?? false,
    close() {
      for (const path of [...spares.values()].flat()) {
        try {
          disk.remove(path);
        } catch {
          // It has a temporary name, and those are deleted when they are old.
        }
      }
      spares.clear();
    },
  };
}
