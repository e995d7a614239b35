import { join } from "node:path";
import type { Disk } from "../disk/disk.ts";
import { codeOf } from "../disk/node-errors.ts";
import { type LoopPaths, temporary } from "../paths.ts";
import { revisionFile, revisionFolder } from "./revision-names.ts";
import type { SpareFiles } from "./spare-files.ts";

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
      if (codeOf(error) === "EEXIST") return false;
      if (!NO_LINKS.has(codeOf(error)) || !disk.info(draft)) throw error;
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
      if (TAKEN.has(codeOf(error)) && disk.info(revisionFolder(paths, revision))) return false;
      throw error;
    }
  };

  return (...work) => (links ? link : rename)(...work);
}
