import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { lstat, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";

/** Larger programs are told apart by size and time. */
const HASHED = 64 * 1024 * 1024;
/** Of one folder; what is beyond is told apart by name and size. */
const FOLDER_FILES = 5_000;
const FOLDER_BYTES = 100 * 1024 * 1024;
const AT_ONCE = 16;
const CACHED = 50_000;

/** Of contents, by everything that changes with them. */
const cache = new Map<string, string>();

export function digestOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
}

/** SHA-256 of a file's content; null where there is none. A link is followed. */
export async function fileDigest(file: string): Promise<string | null> {
  try {
    const found = await stat(file);
    return found.isFile() ? await contentDigest(file, found) : null;
  } catch {
    return null;
  }
}

async function contentDigest(file: string, found: Stats): Promise<string> {
  if (found.size > HASHED) return digestOf(`${found.size}`, `${found.mtimeMs}`);
  const { size, mtimeMs, ctimeMs, ino } = found;
  const key = [file, size, mtimeMs, ctimeMs, ino].join("\0");
  const known = cache.get(key);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const digest = hash.digest("hex");
  if (cache.size >= CACHED) cache.clear();
  cache.set(key, digest);
  return digest;
}

/** What is made from the rest, or belongs to others. */
const LEFT_OUT = /^(node_modules|__pycache__|\..*)$/;

/** Of all paths and contents below a folder; null where there are none. Links count with where they lead. */
export async function folderDigest(folder: string): Promise<string | null> {
  const paths: string[] = [];
  await collect(folder, "", paths);
  if (paths.length === 0) return null;
  let files = 0;
  let bytes = 0;
  const entry = async (path: string): Promise<string> => {
    const file = join(folder, path);
    const found = await lstat(file).catch(() => null);
    if (found === null) return path;
    files += 1;
    bytes += found.size;
    if (found.isSymbolicLink()) return `${path}\0${await readlink(file)}`;
    const isOver = files > FOLDER_FILES || bytes > FOLDER_BYTES;
    return `${path}\0${isOver ? found.size : await contentDigest(file, found).catch(() => null)}`;
  };
  const entries: string[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    entries.push(...(await Promise.all(paths.slice(at, at + AT_ONCE).map(entry))));
  }
  return digestOf(...entries);
}

/** Paths of files and links, in a fixed order. */
async function collect(root: string, below: string, into: string[]): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!LEFT_OUT.test(entry.name)) await collect(root, path, into);
    } else if (!entry.name.endsWith(".pyc") && into.length < 4 * FOLDER_FILES) into.push(path);
  }
}
