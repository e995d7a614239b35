import { isMissing, LoopError, systemCode } from "@ccw-loop/core";
import type { Disk } from "../fs/disk.ts";
import { orMissing } from "../fs/errors.ts";
import { type LoopPaths, temporary } from "../paths.ts";
import { revisionFile } from "./revision-names.ts";

const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

function noHardLinks({ id, folder }: LoopPaths, cause: unknown): LoopError {
  return new LoopError(
    "store_unavailable",
    `Loop ${id} cannot be stored: the file system of ${folder} has no hard links. Keep the project on one that has.`,
    { cause, details: { code: systemCode(cause), path: folder } },
  );
}

/**
 * Adds files of revisions, and keeps those that were let go of to use them again: writing over a file costs a fraction
 * of deleting one and making another. They lie in the history under temporary names.
 */
export function revisionFiles(disk: Disk) {
  const spares = new Map<string, string[]>();

  /** Renames a file; false when another process took it away first. */
  const move = (from: string, to: string) =>
    orMissing(() => {
      disk.rename(from, to);
      return true;
    }, false);

  /** Gives a spare file of that folder new content and moves it into `target`; null when there is none. */
  async function reuse(folder: string, target: string, text: string): Promise<string | null> {
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
  }

  return {
    move,
    /**
     * Prepares a file in the folder `from`, durably, and gives it the name of a revision; false when that name is taken:
     * of several writers the file system lets exactly one link a file to it. Throws `ENOENT` when `from` vanished
     * meanwhile, `store_unavailable` where there are no hard links.
     */
    async add(paths: LoopPaths, revision: number, text: string, from: string): Promise<boolean> {
      const reused = await reuse(paths.history, from, text);
      const draft = reused ?? temporary(from);
      try {
        if (reused === null) await disk.writeDurably(draft, text);
        disk.link(draft, revisionFile(paths, revision));
        return true;
      } catch (error) {
        if (systemCode(error) === "EEXIST") return false;
        if (NO_LINKS.has(systemCode(error)) && disk.info(draft)) throw noHardLinks(paths, error);
        throw error;
      } finally {
        disk.remove(draft);
      }
    },
    /** Takes the file away from its name. */
    give(folder: string, file: string): void {
      const path = temporary(folder);
      if (!move(file, path)) return;
      const own = spares.get(folder) ?? [];
      spares.set(folder, own);
      own.push(path);
    },
    has: (folder: string, path: string) => spares.get(folder)?.includes(path) ?? false,
    /** Deletes them all. Never throws: what cannot be deleted is left to whoever lets go of old revisions later. */
    close(): void {
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
