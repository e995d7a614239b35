import type { Disk } from "../disk/disk.ts";
import { isMissing } from "../disk/node-errors.ts";
import { temporary } from "../paths.ts";

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
