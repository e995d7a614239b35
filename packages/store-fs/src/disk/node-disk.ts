import fs, { constants as flags } from "node:fs";
import { dirname } from "node:path";
import type { Disk, Displaced, FileInfo } from "./disk.ts";
import { type DiskSync, diskSync } from "./disk-sync.ts";
import { textOf } from "./text.ts";

/** `power`: acknowledged work survives a power cut. `process`: it survives the death of every process. */
export type Durability = "power" | "process";

const READ = flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK;
const NEW = flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL | flags.O_NOFOLLOW;
const INTO = flags.O_WRONLY | flags.O_CREAT | flags.O_NOFOLLOW;
const APPEND = INTO | flags.O_APPEND;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * The real file system. Small writes, links and renames block for microseconds, a fast disk for less than two
 * milliseconds; a slow disk and large folders are left to threads.
 */
export function nodeDisk(durability: Durability): Disk {
  const synced: DiskSync = durability === "power" ? diskSync() : async () => {};
  async function syncPath(path: string): Promise<void> {
    if (durability === "process") return;
    const fd = fs.openSync(path, READ);
    try {
      await synced(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  return {
    read: (path) => withFile(path, READ, (fd) => textOf(fs.readFileSync(fd)), null),
    async *chunks(path, start = 0) {
      let file: fs.promises.FileHandle;
      try {
        file = await fs.promises.open(path, READ);
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      yield* file.createReadStream({ start, autoClose: true });
    },
    readBytes: (path, start, length) =>
      withFile(
        path,
        READ,
        (fd) => {
          const bytes = Buffer.alloc(length);
          return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, start));
        },
        Buffer.alloc(0),
      ),
    info,
    list: (folder) => orMissing(() => fs.readdirSync(folder), []),
    listLarge: (folder) =>
      fs.promises.readdir(folder).catch((error) => {
        if (isMissing(error)) return [];
        throw error;
      }),
    makeFolder(path) {
      try {
        fs.mkdirSync(path, { mode: FOLDER_MODE });
        return true;
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false;
        throw error;
      }
    },
    write(path, content) {
      const fd = fs.openSync(path, NEW, FILE_MODE);
      try {
        writeWhole(fd, Buffer.from(content), null);
      } finally {
        fs.closeSync(fd);
      }
    },
    async writeDurably(path, text) {
      const fd = fs.openSync(path, NEW, FILE_MODE);
      try {
        writeWhole(fd, Buffer.from(text), null);
        await synced(fd);
      } finally {
        fs.closeSync(fd);
      }
    },
    async overwriteDurably(path, text) {
      const fd = fs.openSync(path, flags.O_WRONLY | flags.O_NOFOLLOW);
      try {
        const bytes = Buffer.from(text);
        writeWhole(fd, bytes, 0);
        fs.ftruncateSync(fd, bytes.length);
        await synced(fd);
      } finally {
        fs.closeSync(fd);
      }
    },
    writeAt(path, position, text) {
      const fd = fs.openSync(path, INTO, FILE_MODE);
      try {
        writeWhole(fd, Buffer.from(text), position);
      } finally {
        fs.closeSync(fd);
      }
    },
    async append(path, text) {
      const file = await fs.promises.open(path, APPEND, FILE_MODE);
      try {
        await file.appendFile(text);
      } finally {
        await file.close();
      }
    },
    rename: (from, to) => fs.renameSync(from, to),
    link: (from, to) => fs.linkSync(from, to),
    replace,
    copy: (from, to) => fs.copyFileSync(from, to),
    setMode: (path, mode) => fs.chmodSync(path, mode),
    remove: (path) => orMissing(() => fs.unlinkSync(path), undefined),
    removeTree: (path) => fs.promises.rm(path, { recursive: true, force: true }),
    syncFolder: syncPath,
    syncFile: syncPath,
  };
}

function info(path: string): FileInfo | null {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  const kind = stat.isFile()
    ? "file"
    : stat.isDirectory()
      ? "folder"
      : stat.isSymbolicLink()
        ? "link"
        : "other";
  const { size, mode, uid: owner, mtimeMs: modified } = stat;
  return { kind, instance: instanceOf(stat), size, modified, mode: mode & 0o7777, owner };
}

function instanceOf({ ino, mtimeMs }: fs.Stats): string {
  return `${ino}-${mtimeMs}`;
}

/**
 * The old file is opened before the rename, so what another program writes into it late is still seen. What
 * is left is the moment between the last look and the rename: no call of Node's exchanges two files.
 */
function replace(from: string, to: string): Displaced | null {
  const old = openSettled(to, dirname(from));
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (old !== null) fs.closeSync(old);
    throw error;
  }
  if (old === null) return null;
  return {
    instance: instanceOf(fs.fstatSync(old)),
    bytes() {
      const bytes = Buffer.alloc(fs.fstatSync(old).size);
      return bytes.subarray(0, fs.readSync(old, bytes, 0, bytes.length, 0));
    },
    close: () => fs.closeSync(old),
  };
}

/**
 * The file that is there while nobody is renaming another one over it. Making `neighbour`, a folder beside it
 * that is there already, waits for whoever is changing their folder now.
 */
function openSettled(path: string, neighbour: string): number | null {
  for (;;) {
    const fd = orMissing(() => fs.openSync(path, READ), null);
    if (fd === null) return null;
    const { ino } = fs.fstatSync(fd);
    fs.mkdirSync(neighbour, { recursive: true, mode: FOLDER_MODE });
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.ino === ino) return fd;
    fs.closeSync(fd);
  }
}

function withFile<T>(path: string, flag: number, use: (fd: number) => T, missing: T): T {
  let fd: number;
  try {
    fd = fs.openSync(path, flag);
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function writeWhole(fd: number, bytes: Buffer, position: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    done += fs.writeSync(fd, bytes, done, bytes.length - done, at);
  }
}

function orMissing<T>(work: () => T, missing: T): T {
  try {
    return work();
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
}

/** The `code` of a Node error, `""` for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
