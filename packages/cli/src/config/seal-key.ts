import { randomBytes } from "node:crypto";
import { link, lstat, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText, LoopError, shellWord, systemCode } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";

const KEY = /^[0-9a-f]{64}\n?$/;
const MAX_FILE_BYTES = 1024;

/**
 * The key that receipts are sealed with; made by whoever needs it first, mode 0600. Throws `unsafe_path` for a file that
 * other users may read or write, `invalid_input` for one that holds no key, and `system_unavailable` where it can neither be
 * read nor made.
 */
export async function readOrMakeKey(path: string): Promise<Uint8Array> {
  try {
    const found = await readKey(path);
    if (found) return found;
    await makeKey(path);
    const made = await readKey(path);
    if (made) return made;
    throw new Error("it is gone again");
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError(
      "system_unavailable",
      `The key for receipts, ${path}, can neither be read nor made: ${errorText(error)}. Set XDG_CONFIG_HOME to a folder that you may write to.`,
      { cause: error },
    );
  }
}

/** The key in a file that somebody named: nothing is made there. Throws as `readOrMakeKey` does, and `invalid_input` for no file. */
export async function readNamedKey(path: string): Promise<Uint8Array> {
  const found = await readKey(path).catch((error: unknown) => {
    if (error instanceof LoopError) throw error;
    throw new LoopError("invalid_input", `The key ${path} cannot be read: ${errorText(error)}.`);
  });
  if (found) return found;
  const message = `There is no key ${path}. Name the file of the key that the receipt was sealed with, by default ~/.config/ccw-loop/receipt.key of who sealed it.`;
  throw new LoopError("invalid_input", message, { details: { key: "key" } });
}

async function readKey(path: string): Promise<Uint8Array | null> {
  const bytes = readPlain(path, { most: MAX_FILE_BYTES });
  if (bytes === null) return null;
  const { mode } = await lstat(path);
  if (process.getuid !== undefined && mode & 0o077) {
    throw new LoopError(
      "unsafe_path",
      `${path} is open to other users of this machine, and who reads it can seal receipts. Where nobody else could: chmod 600 ${shellWord(path)}. Otherwise use another key; receipts of this one prove nothing any more.`,
    );
  }
  const text = bytes.toString("latin1");
  if (KEY.test(text)) return Buffer.from(text.trim(), "hex");
  throw new LoopError("invalid_input", `${path} holds no key for receipts: 64 hexadecimal digits.`);
}

/** Whole or not at all, and never in place of another: of several that come at once, the first to link it wins. */
async function makeKey(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString("hex")}\n`);
    await file.sync();
    await link(draft, path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
