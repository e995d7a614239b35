import { createHash } from "node:crypto";
import fs, { constants as flags } from "node:fs";
import { readlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isMissing } from "@ccw-loop/core";

/** The most bytes of one file that are read at once. Nothing that we write is larger. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

export const READ = flags.O_RDONLY;

/** What stands in the place of a file cannot be read: a folder, a link, a pipe, a socket, a device, a file of more bytes. */
const NOT_READ: ReadonlySet<unknown> = new Set(["EISDIR", "ELOOP", "ENXIO", "ENODEV", "EFBIG"]);

/** True for the error of a path where no plain file of a size that is read stands. */
export function isNoPlainFile(error: unknown): boolean {
  return error instanceof Error && "code" in error && NOT_READ.has(error.code);
}

interface OpenOptions {
  /** Of a new file. */
  mode?: number;
  /** The most bytes that an old one may have. */
  most?: number;
  /** For files of a project, which may be links. */
  followLinks?: boolean;
}

/**
 * Opens a plain file, and nothing else: a link at the end of the path is not followed, and whatever stands there, the
 * call returns at once, also where another program would have to answer first (a named pipe). Throws Node's errors;
 * `EISDIR`, `ENXIO` or `EFBIG` for what is no file, or a larger one.
 */
export function openPlain(
  path: string,
  flag = READ,
  { mode, most = Number.POSITIVE_INFINITY, followLinks = false }: OpenOptions = {},
): number {
  const links = followLinks ? 0 : flags.O_NOFOLLOW;
  const fd = fs.openSync(path, flag | links | flags.O_NONBLOCK, mode);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isDirectory()) throw failed("EISDIR", path, "is a folder");
    if (!stat.isFile()) throw failed("ENXIO", path, "is no plain file");
    if (stat.size > most) throw tooLarge(path, stat.size, most);
    return fd;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** All bytes of a plain file; null when there is none. Throws like `openPlain`. */
export function readPlain(
  path: string,
  { most = MAX_FILE_BYTES, followLinks = false }: Omit<OpenOptions, "mode"> = {},
): Buffer | null {
  try {
    const fd = openPlain(path, READ, { most, followLinks });
    using _file = { [Symbol.dispose]: () => fs.closeSync(fd) };
    return fs.readFileSync(fd);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** SHA-256 in hexadecimal of a file's content, or of where a link leads. Throws Node's errors. */
export async function fileDigest(file: string | Buffer, isLink = false): Promise<string> {
  const hash = createHash("sha256");
  if (isLink) hash.update(await readlink(file, { encoding: "buffer" }));
  else for await (const chunk of fs.createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** The real path of a file that may not exist yet: that of the nearest folder that does, and the rest. */
export function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}

export function foldersUp(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** Whether a path, absolute or from the folder, is that of the folder or lies in it. By name: links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export function tooLarge(path: string, size: number, most = MAX_FILE_BYTES): Error {
  return failed("EFBIG", path, `has ${size} bytes, and at most ${most} are read`);
}

function failed(code: string, path: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${path} ${what}`), { code, path });
}
