import { constants, fstatSync } from "node:fs";
import { access, lstat, mkdtemp, open, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { systemCode } from "@ccw-loop/core";

/** The project's files as they lie there now, and folders outside of it. Contents of earlier moments are the workspace's. */
export interface ProjectFiles {
  /**
   * Of a file of the project `top`, by its path there. Null when there is none; throws when it cannot be read, is no file of a
   * size that is read, or lies behind a link that leads out of the project: what it says goes to agents.
   */
  text(top: string, path: string): Promise<string | null>;
  exists(path: string): Promise<boolean>;
  isFolder(path: string): Promise<boolean>;
  /** Null for what is no file, cannot be read or has more than `most` bytes; a link is followed only when told so. */
  bytes(path: string, options: { most: number; followLinks: boolean }): Promise<Uint8Array | null>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  /** A new empty folder among the temporary ones, for `use`; gone behind it with all that is in it. */
  inTemporary<T>(use: (folder: string) => Promise<T>): Promise<T>;
  /** Those of the files below a folder that the output of this process goes to; asks for their paths when it needs them. */
  outputsIn(folder: string, paths: () => Promise<readonly string[]>): Promise<string[]>;
}

const MOST_TEXT = 16 * 1024 * 1024;

export const realFiles: ProjectFiles = {
  async text(top, path) {
    try {
      const [folder, file] = [await realpath(top), await realpath(join(top, path))];
      if (!file.startsWith(join(folder, sep))) throw new Error("a link leads out of the project");
      return String(await read(file, MOST_TEXT));
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return null;
      throw error;
    }
  },
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
    return read(path, most).catch(() => null);
  },
  write: (path, bytes) => writeFile(path, bytes),
  remove: (path) => rm(path),
  async inTemporary(use) {
    const folder = await mkdtemp(join(tmpdir(), "ccw-loop-"));
    try {
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
  async outputsIn(folder, paths) {
    const outputs = [1, 2].map(identityOf).filter((identity) => identity !== null);
    if (outputs.length === 0) return [];
    const found = (await paths()).map(async (path) => {
      const stats = await lstat(join(folder, path), { bigint: true }).catch(() => null);
      // A file with a second name may be more than output under that one.
      const isAlone = stats?.nlink === 1n;
      return isAlone && outputs.includes(`${stats.dev} ${stats.ino}`) ? [path] : [];
    });
    return (await Promise.all(found)).flat();
  },
};

/** All bytes. Returns at once for a pipe, where opening it as a file would wait for another program. */
async function read(path: string, most: number): Promise<Buffer> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw new Error("not a regular file");
  if (found.size > most) throw new Error(`it has more than ${most} bytes`);
  return file.readFile();
}

/** Of the file behind an open descriptor; null for what is no file. */
function identityOf(descriptor: number): string | null {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : null;
  } catch {
    return null;
  }
}
