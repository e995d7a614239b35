import fs, { constants as flags } from "node:fs";
import type { Disk, FileInfo } from "./disk.ts";
import { type DiskSync, diskSync } from "./disk-sync.ts";
import { codeOf, isMissing } from "./node-errors.ts";
import { instanceOf, replace } from "./replace.ts";
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
