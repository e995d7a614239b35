import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream, createWriteStream, existsSync, lstatSync } from "node:fs";
import { chmod, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createDeflate, deflate, constants as zlib } from "node:zlib";
import { makePlainFolder } from "../folders.ts";
import { rawOf } from "../raw-path.ts";
import { unsafePath, unwritable } from "./errors.ts";
import type { ObjectKind } from "./object-reader.ts";
import type { HashName, Repository } from "./repository.ts";

/** As git does it for single objects. */
const LEVEL = { level: zlib.Z_BEST_SPEED };
const deflated = promisify<Buffer, typeof LEVEL, Buffer>(deflate);

/** The name that git gives to an object. */
export function objectName(hash: HashName, kind: ObjectKind, content: Buffer | string): string {
  const bytes = Buffer.from(content);
  return createHash(hash).update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex");
}

/**
 * The name of a file's very bytes as a blob, read part by part; `size` in bytes is what its status says. What is appended
 * meanwhile is no part of it. Null when the file is shorter by now.
 */
export async function fileBlobName(
  hash: HashName,
  file: Buffer,
  size: number,
): Promise<string | null> {
  const digest = createHash(hash).update(`blob ${size}\0`);
  let left = size;
  for await (const part of firstBytes(file, size)) {
    left -= (part as Buffer).length;
    digest.update(part as Buffer);
  }
  return left === 0 ? digest.digest("hex") : null;
}

/** Of a plain file: a link is not followed, and no pipe is waited for. */
function firstBytes(file: Buffer, size: number) {
  if (size === 0) return Readable.from([]);
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return createReadStream(file, { end: size - 1, flags } as unknown as { end: number });
}

/** Whether a folder of objects has one by itself; what its content is, is not asked. */
export function isStored(folder: string, name: string): boolean {
  return existsSync(join(folder, name.slice(0, 2), name.slice(2)));
}

/**
 * Writes single objects below a folder of objects, as git lays them out. One that is there is written over: whatever lies
 * under the name, it is the right content afterwards.
 */
export class ObjectWriter {
  readonly #folder: string;
  readonly #hash: HashName;

  constructor(folder: string, hash: HashName) {
    this.#folder = folder;
    this.#hash = hash;
  }

  async write(kind: ObjectKind, content: Buffer | string): Promise<string> {
    const bytes = Buffer.from(content);
    const name = objectName(this.#hash, kind, bytes);
    const whole = Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes]);
    await this.#put(name, async (aside) => {
      await writeFile(aside, await deflated(whole, LEVEL), { mode: 0o444 });
    });
    return name;
  }

  /** Writes a file's very bytes as the blob `name`; false when they are not that any more. */
  async writeFile(file: Buffer, size: number, name: string): Promise<boolean> {
    const digest = createHash(this.#hash);
    let left = size;
    const counted = new Transform({
      transform(part, _, done) {
        left -= part.length;
        digest.update(part);
        done(null, part);
      },
    });
    counted.push(`blob ${size}\0`);
    digest.update(`blob ${size}\0`);
    let right = false;
    await this.#put(name, async (aside) => {
      const output = createWriteStream(aside, { mode: 0o444 });
      await pipeline(firstBytes(file, size), counted, createDeflate(LEVEL), output);
      right = left === 0 && digest.digest("hex") === name;
      return right;
    });
    return right;
  }

  async #put(name: string, fill: (aside: string) => Promise<unknown>): Promise<void> {
    const folder = join(this.#folder, name.slice(0, 2));
    const aside = join(this.#folder, `tmp_obj_${randomUUID()}`);
    try {
      if ((await fill(aside)) === false) await rm(aside, { force: true });
      else await moveInto(aside, folder, name.slice(2));
    } catch (error) {
      await rm(aside, { force: true }).catch(() => undefined);
      throw unwritable(error, Buffer.from(this.#folder));
    }
  }
}

/**
 * Objects that `use` writes get into the repository together when it is over, and not at all when it throws: a full disk
 * leaves nothing behind. Git itself removes what a crash leaves (`git gc`).
 */
export async function withQuarantine<T>(
  { objects, hash }: Pick<Repository, "objects" | "hash">,
  use: (writer: ObjectWriter, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(objects, "tmp_objdir-ccw-loop-")).catch((error: unknown) => {
    throw unwritable(error, Buffer.from(objects));
  });
  try {
    const result = await use(new ObjectWriter(folder, hash), folder);
    await release(folder, objects).catch((error: unknown) => {
      throw unwritable(error, Buffer.from(objects));
    });
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function release(folder: string, objects: string): Promise<void> {
  for (const start of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    for (const rest of await readdir(join(folder, start))) {
      await moveInto(join(folder, start, rest), join(objects, start), rest);
    }
  }
}

/** How often a folder is made again that a collection of garbage removes while it is empty. */
const TRIES = 5;

async function moveInto(file: string, folder: string, name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (!isFolder(folder)) await makeLike(folder, dirname(folder));
    try {
      await rename(file, join(folder, name));
      return;
    } catch (error) {
      if (tries >= TRIES || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

/** Of its own: a link leads elsewhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Makes the folder with the rights of the one above, which a shared repository needs. Throws `unsafe_path` for a link in its
 * place.
 */
async function makeLike(folder: string, above: string): Promise<void> {
  const made = await makePlainFolder(folder);
  if (made === "made") await chmod(folder, (await stat(above)).mode & 0o7777);
  if (made === "blocked") throw unsafePath(above, rawOf(basename(folder)));
}
