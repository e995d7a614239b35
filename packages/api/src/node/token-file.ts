import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rm,
  stat,
} from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isMissing, LoopError, systemCode } from "@ccw-loop/core";
import { badOption } from "../app/options.ts";

const FOLDER = "ccw-loop";
const TOKEN = /^[\x21-\x7e]{32,512}$/;

/** Where a user's token is kept: `${XDG_CONFIG_HOME:-~/.config}/ccw-loop/token`. */
export function userTokenFile(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  const base = env.XDG_CONFIG_HOME;
  return join(base && isAbsolute(base) ? base : join(home, ".config"), FOLDER, "token");
}

/**
 * The token of a file. Throws `invalid_input` when there is none, or no token in it, and `unsafe_path` when somebody
 * else could have written it: a link, a file or folder of another user or one that others may write to. What others may
 * read is closed to them and told to `warn`.
 */
export async function readToken(path: string, warn: (text: string) => void): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  await requireOwnFolder(dirname(path));
  let file: FileHandle;
  try {
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ELOOP") throw unsafe(path, "is a symbolic link");
    throw badOption(`The token file ${path} cannot be read: ${String(error)}`, error);
  }
  try {
    const info = await file.stat();
    if (!info.isFile()) throw unsafe(path, "is not a file");
    const { mode, uid, nlink } = info;
    if (!isOurs(uid)) throw unsafe(path, "belongs to another user");
    if (nlink > 1 && (await namesLeft(path, file, info.ino)) > 1) {
      throw unsafe(path, "has a second name (a hard link)");
    }
    if (isPosix() && mode & 0o022) throw unsafe(path, "can be written by other users");
    if (isPosix() && mode & 0o077) {
      await file.chmod(0o600);
      const was = (mode & 0o777).toString(8).padStart(4, "0");
      warn(
        `Others could read ${path} (mode ${was}); it is closed now. Delete it and start again if somebody may have.`,
      );
    }
    const token = (await file.readFile("utf8")).trim();
    if (TOKEN.test(token)) return token;
  } finally {
    await file.close();
  }
  throw badOption(
    `${path} holds no token: one line of 32 to 512 visible characters. Delete it, and a new one is made.`,
  );
}

/** A token that nobody guesses. Throws `invalid_input` for a shorter one. */
export function checkedToken(token: string): string {
  if (TOKEN.test(token)) return token;
  throw badOption("A token has 32 to 512 visible characters.");
}

/** The token of the file; made first, by whoever comes first, where there is none. */
export async function readOrMakeToken(path: string, warn: (text: string) => void): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await requireOwnFolder(dirname(path));
  const exists = await stat(path).then(
    () => true,
    (error) => !isMissing(error),
  );
  if (!exists) await make(path);
  return readToken(path, warn);
}

/** How many names it has once those are gone under which it was made: of a process that is at it, or was killed at it. */
async function namesLeft(path: string, file: FileHandle, ino: number): Promise<number> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const draft = join(folder, name);
    if (!isDraft(name, basename(path))) continue;
    const found = await lstat(draft).catch(() => undefined);
    if (found?.ino === ino) await rm(draft, { force: true });
  }
  return (await file.stat()).nlink;
}

const isDraft = (name: string, of: string) =>
  name.startsWith(`${of}.`) && /^\.[0-9a-f]{16}$/.test(name.slice(of.length));

/** Whole or not at all, and never in place of another: the file gets its name when it is on the disk. */
async function make(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString("base64url")}\n`);
    await file.sync();
    await link(draft, path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

/**
 * Throws `unsafe_path` for a folder that others may write to. One of our own is closed; of one that has other purposes it is
 * only asked.
 */
export async function requireOwnFolder(folder: string): Promise<void> {
  const info = await stat(folder).catch(() => undefined);
  if (!isPosix() || info === undefined) return;
  if (!isOurs(info.uid) && info.uid !== 0) throw unsafe(folder, "belongs to another user");
  if (basename(folder) === FOLDER && isOurs(info.uid)) {
    if (info.mode & 0o077) await chmod(folder, 0o700);
  } else if (info.mode & 0o022 && !(info.mode & 0o1000)) {
    throw unsafe(folder, "can be written by other users");
  }
}

const isPosix = () => process.getuid !== undefined;

function isOurs(uid: number): boolean {
  return !isPosix() || uid === process.getuid?.();
}

function unsafe(path: string, why: string): LoopError {
  return new LoopError(
    "unsafe_path",
    `${path} ${why}, so the token in it may be known to others. Put it right, or name another file with --token-file.`,
  );
}
