import { access, lstat, readFile, rm, stat, writeFile } from "node:fs/promises";

/** The project's files as they lie there now. Contents of earlier moments are the workspace's. */
export interface ProjectFiles {
  /** Null when there is none; throws what Node throws when it cannot be read. */
  text(path: string): Promise<string | null>;
  exists(path: string): Promise<boolean>;
  isFolder(path: string): Promise<boolean>;
  /** Null for what is no file, cannot be read or has more than `most` bytes; a link is followed only when told so. */
  bytes(path: string, options: { most: number; followLinks: boolean }): Promise<Uint8Array | null>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
}

export const realFiles: ProjectFiles = {
  text: (path) =>
    readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    }),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  isFolder: (path) =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    ),
  async bytes(path, { most, followLinks }) {
    const found = await (followLinks ? stat(path) : lstat(path)).catch(() => null);
    if (!found?.isFile() || found.size > most) return null;
    return readFile(path).catch(() => null);
  },
  write: (path, bytes) => writeFile(path, bytes),
  remove: (path) => rm(path),
};
