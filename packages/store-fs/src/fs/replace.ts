import fs from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { getSystemErrorName } from "node:util";
import { isMissing, systemCode } from "@ccw-loop/core";
import { MAX_FILE_BYTES, openPlain, READ, tooLarge } from "@ccw-loop/processes/plain-file";
import type { Displaced } from "./disk.ts";
import { orMissing } from "./errors.ts";

/** The file system cannot exchange files, or the folder of the binding's choice is none of its own. */
const CANNOT = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"]);

/** Tells one state of one file from every other; with its size it tells nearly every change. */
export function instanceOf({ ino, mtimeMs }: fs.Stats): string {
  return `${ino}-${mtimeMs}`;
}

/**
 * Renames a file onto another and hands over the one that was there, so that what another program put there in
 * the same moment is never lost: the two are exchanged where the system can do that.
 */
export function replace(from: string, to: string): Displaced | null {
  const exchange = exchangeCall();
  return exchange ? exchangeFiles(exchange, from, to) : renameOver(from, to);
}

function exchangeFiles(exchange: Exchange, from: string, to: string): Displaced | null {
  for (;;) {
    if (!fs.lstatSync(to, { throwIfNoEntry: false })) {
      if (linkInto(from, to)) return null;
      continue;
    }
    try {
      // Refuses what is no plain file before anything is moved.
      fs.closeSync(openReadable(to));
      exchange(from, to);
    } catch (error) {
      if (CANNOT.has(systemCode(error))) return renameOver(from, to);
      if (!isMissing(error) || !fs.existsSync(from)) throw error;
      continue;
    }
    const old = openOr(from, () => exchange(from, to));
    fs.unlinkSync(from);
    return displaced(old);
  }
}

/** Moves a file to a name that nobody has; false when somebody has it by now. */
function linkInto(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  fs.unlinkSync(from);
  return true;
}

function openOr(path: string, undo: () => void): number {
  try {
    return openReadable(path);
  } catch (error) {
    undo();
    throw error;
  }
}

/**
 * The old file is opened before the rename, so what another program writes into it late is still seen. What
 * is left is the moment between the last look and the rename.
 */
function renameOver(from: string, to: string): Displaced | null {
  const old = openUndisturbed(to, dirname(from));
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (old !== null) fs.closeSync(old);
    throw error;
  }
  return old === null ? null : displaced(old);
}

function displaced(fd: number): Displaced {
  return {
    instance: instanceOf(fs.fstatSync(fd)),
    written: () => fs.fstatSync(fd).mtimeMs,
    bytes() {
      const { size } = fs.fstatSync(fd);
      if (size > MAX_FILE_BYTES) throw tooLarge("The file that was replaced", size);
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0));
    },
    // By a thread: with its last descriptor the file goes, which can wait for the disk.
    close: () => fs.close(fd, () => {}),
  };
}

/**
 * The file that is there while nobody is renaming another one over it. Making `neighbour`, a folder beside it
 * that is there already, waits for whoever is changing their folder now.
 */
function openUndisturbed(path: string, neighbour: string): number | null {
  for (;;) {
    const fd = orMissing(() => openReadable(path), null);
    if (fd === null) return null;
    const { ino } = fs.fstatSync(fd);
    fs.mkdirSync(neighbour, { recursive: true, mode: 0o700 });
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.ino === ino) return fd;
    fs.closeSync(fd);
  }
}

function openReadable(path: string): number {
  return openPlain(path, READ, { most: MAX_FILE_BYTES });
}

/** Swaps two files of one folder tree in one step, whatever they are. Throws Node's errors. */
export type Exchange = (a: string, b: string) => void;

/** What we use of koffi's prebuilt binding; https://koffi.dev. */
interface Native {
  load(library: null): { func(definition: string): (...args: (string | number)[]) => number };
  errno(): number;
}

/** The swapping call of each system: its C prototype, and the arguments for two paths. */
const CALLS: Partial<Record<NodeJS.Platform, readonly [string, CallOf]>> = {
  // renameat2(2): AT_FDCWD is -100, RENAME_EXCHANGE is 2.
  linux: ["int renameat2(int, str, int, str, unsigned int)", (a, b) => [-100, a, -100, b, 2]],
  // renamex_np(2): RENAME_SWAP is 2.
  darwin: ["int renamex_np(str, str, unsigned int)", (a, b) => [a, b, 2]],
};
type CallOf = (a: string, b: string) => (string | number)[];

let loaded: Exchange | null | undefined;

/**
 * The system's call for it, which Node does not offer; null where it or its optional binding is missing. The
 * first call takes some milliseconds, so only those ask who are about to publish.
 */
export function exchangeCall(): Exchange | null {
  if (loaded === undefined) loaded = load();
  return loaded;
}

function load(): Exchange | null {
  const call = CALLS[process.platform];
  if (!call) return null;
  const [prototype, argumentsFor] = call;
  try {
    // Bundled into another package's file this one still finds its own dependencies.
    const own = createRequire(import.meta.url).resolve("@ccw-loop/store-fs/package.json");
    const native: Native = createRequire(own)(`@koromix/koffi-${process.platform}-${process.arch}`);
    const swap = native.load(null).func(prototype);
    return (a, b) => {
      if (swap(...argumentsFor(a, b)) === 0) return;
      const code = getSystemErrorName(-native.errno());
      throw Object.assign(new Error(`${code}: exchange '${a}' and '${b}'`), { code, path: b });
    };
  } catch {
    return null;
  }
}
