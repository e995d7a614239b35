import fs, { constants as flags } from "node:fs";
import { promisify } from "node:util";
import { isMissing, systemCode } from "@ccw-loop/core";
import {
  MAX_FILE_BYTES,
  openPlain,
  READ,
  readPlain,
  tooLarge,
} from "@ccw-loop/processes/plain-file";
import { type Disk, type FileInfo, textOf } from "./disk.ts";
import { orMissing } from "./errors.ts";
import { instanceOf, replace } from "./replace.ts";

/** `power`: acknowledged work survives a power cut. `process`: it survives the death of every process. */
export type Durability = "power" | "process";

const OVER = flags.O_WRONLY;
const INTO = flags.O_WRONLY | flags.O_CREAT;
const NEW = INTO | flags.O_EXCL;
const APPEND = INTO | flags.O_APPEND;
const FOLDER_MODE = 0o700;
/** Large pieces: a journal is read from its beginning to its end. */
const CHUNK_BYTES = 256 * 1024;
const appendTo = promisify(fs.appendFile);

/**
 * The real file system. Small writes, links and renames block for microseconds, a fast disk for less than two
 * milliseconds; a slow disk and large folders are left to threads.
 */
export function nodeDisk(durability: Durability): Disk {
  const synced: DiskSync = durability === "power" ? adaptiveSync() : async () => {};
  async function syncPath(path: string): Promise<void> {
    if (durability === "process") return;
    using file = closing(fs.openSync(path, READ | flags.O_NOFOLLOW | flags.O_NONBLOCK));
    await synced(file.fd);
  }

  return {
    read(path) {
      const bytes = readPlain(path);
      return bytes && textOf(bytes);
    },
    async *chunks(path, start = 0) {
      const fd = orMissing(() => openPlain(path), null);
      if (fd === null) return;
      yield* fs.createReadStream(path, { fd, start, highWaterMark: CHUNK_BYTES });
    },
    readBytes(path, start, length) {
      if (length > MAX_FILE_BYTES) throw tooLarge(path, length);
      if (length === 0) return Buffer.alloc(0);
      using file = orMissing(() => opened(path, READ), null);
      if (!file) return Buffer.alloc(0);
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, fs.readSync(file.fd, bytes, 0, length, start));
    },
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
        if (systemCode(error) === "EEXIST") return false;
        throw error;
      }
    },
    write(path, content) {
      using file = opened(path, NEW);
      fs.writeFileSync(file.fd, content);
    },
    async writeDurably(path, text) {
      using file = opened(path, NEW);
      fs.writeFileSync(file.fd, text);
      await synced(file.fd);
    },
    async overwriteDurably(path, text) {
      using file = opened(path, OVER);
      fs.writeFileSync(file.fd, text);
      fs.ftruncateSync(file.fd, Buffer.byteLength(text));
      await synced(file.fd);
    },
    writeAt(path, position, text) {
      using file = opened(path, INTO);
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) {
        done += fs.writeSync(file.fd, bytes, done, bytes.length - done, position + done);
      }
    },
    async append(path, text) {
      using file = opened(path, APPEND);
      await appendTo(file.fd, text);
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
  const { size, mode, uid: owner, mtimeMs: modified, ctimeMs: changed } = stat;
  return { kind, instance: instanceOf(stat), size, modified, changed, mode: mode & 0o7777, owner };
}

/** A plain file, closed at the end of the block; a new one is the user's alone. */
function opened(path: string, flag: number) {
  return closing(openPlain(path, flag, { mode: 0o600 }));
}

function closing(fd: number) {
  return { fd, [Symbol.dispose]: () => fs.closeSync(fd) };
}

/** A sync that takes longer than this is worth a thread. */
const SLOW_MS = 2;

/** Makes what was written to an open file or folder durable. */
export type DiskSync = (fd: number) => Promise<void>;

/**
 * Waits in place while the disk is fast: handing the call to a thread and coming back costs as much as the
 * sync itself. After one that was slow the waiting is left to threads, until they report a fast one.
 */
export function adaptiveSync(now: () => number = () => performance.now()): DiskSync {
  let fast = true;
  return async (fd) => {
    const begin = now();
    if (fast) fs.fsyncSync(fd);
    else await inThread(fd);
    fast = now() - begin < SLOW_MS;
  };
}

function inThread(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
