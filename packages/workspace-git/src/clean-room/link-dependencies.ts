import { constants, type Dirent } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  opendir,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, isAbsolute, join, posix, relative, resolve } from "node:path";
import { isInside } from "@ccw-loop/processes/plain-file";
import { fileDigest } from "../file-digest.ts";
import { OWN_FOLDER } from "../folders.ts";
import { fileAt, type RawPath, rawOf } from "../raw-path.ts";
import { listedIgnoredFiles, type Unchanged, unchangedFiles } from "./installed-files.ts";
import { LINK_RULES, type LinkRule, ruleFor } from "./installed-folders.ts";

/** Larger files hold no paths that somebody asks for. */
const COPY_LIMIT = 1024 * 1024;

interface Installed {
  project: string;
  /** Where the lists of what is installed are kept. */
  lists: string;
  /** Installed folders of the project. */
  folders: readonly string[];
  /** The list that says what they were; undefined for what they are. */
  installed: string | undefined;
}

/** Gives a copy of a project what is installed there; answers with the folders that its links lead to. */
export async function installInto(
  copy: string,
  { project, lists, folders, installed }: Installed,
): Promise<string[]> {
  if (installed === undefined) {
    await linkInstalled(project, copy, folders);
    return folders.map((path) => join(project, path));
  }
  const unchanged = await unchangedFiles(lists, project, folders, installed);
  await linkInstalled(project, copy, folders, unchanged);
  const beside = await listedIgnoredFiles(lists, project, installed);
  await copyIgnoredFiles(project, copy, beside);
  return unchanged === null ? folders.map((path) => join(project, path)) : [];
}

interface LinkJob {
  from: string;
  to: string;
  /** The installed folder, by its `/` path. */
  folder: string;
  rule: LinkRule;
  unchanged: Unchanged;
}

/**
 * Links installed folders (`/` paths) of the project at `from` to its copy at `to`: as folders of links, so that
 * what is written beside them stays in the copy. What leads to the project's own files leads to the copy's. With
 * `unchanged`, only those files, as copies: a link would lead back to the others.
 */
export async function linkInstalled(
  from: string,
  to: string,
  folders: readonly string[],
  unchanged: Unchanged = null,
): Promise<void> {
  for (const folder of folders) {
    const rule = ruleFor(folder);
    const target = join(to, folder);
    if (rule === undefined || (await lstat(target).catch(() => null)) !== null) continue;
    await linkFolder(
      { from, to, folder, rule, unchanged },
      await realpath(join(from, folder)),
      target,
      "",
    );
  }
}

async function linkFolder(
  job: LinkJob,
  source: string,
  target: string,
  inner: string,
): Promise<void> {
  const { omitted, made, copied } = job.rule;
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const path = inner === "" ? entry.name : `${inner}/${entry.name}`;
    const [there, here] = [join(source, entry.name), join(target, entry.name)];
    if (omitted.test(path) || hasChanged(job, entry, path)) continue;
    if (entry.isSymbolicLink()) await linkTo(await linkTarget(job, there), here);
    else if (entry.isDirectory() && (made.test(path) || job.unchanged)) {
      await linkFolder(job, there, here, path);
    } else if (job.unchanged && !copied.test(path)) await cloneFile(there, here);
    else if (entry.isFile() && copied.test(path)) await copy(job, there, here);
    else await linkTo(there, here);
  }
}

/** Whether a file is not what it was, and so left out. */
function hasChanged({ folder, unchanged }: LinkJob, entry: Dirent, path: string): boolean {
  if (unchanged === null || entry.isDirectory()) return false;
  return !unchanged.has(rawOf(`${folder}/${path}`));
}

async function cloneFile(there: string, here: string): Promise<void> {
  await copyFile(there, here, constants.COPYFILE_FICLONE);
}

/** The same place in the copy for a link into the project; else where it leads. */
async function linkTarget({ from, to }: LinkJob, link: string): Promise<string> {
  const text = await readlink(link);
  const place = resolve(dirname(link), text);
  if (!isInside(from, place)) return place;
  return isAbsolute(text) ? join(to, relative(from, place)) : text;
}

async function linkTo(place: string, link: string): Promise<void> {
  const found = await stat(resolve(dirname(link), place)).catch(() => null);
  await symlink(place, link, found?.isDirectory() ? "junction" : "file");
}

/** With the copy's path where the project's stands in a text. */
async function copy({ from, to }: LinkJob, source: string, target: string): Promise<void> {
  const { size, mode } = await lstat(source);
  if (size > COPY_LIMIT) return linkTo(source, target);
  const content = await readFile(source, "latin1");
  const text = content.includes("\0") ? content : content.replaceAll(pathOf(from), () => rawOf(to));
  await writeFile(target, text, "latin1");
  await chmod(target, mode & 0o777);
}

/** The path itself, and not the beginning of another one. */
function pathOf(folder: string): RegExp {
  return new RegExp(`${rawOf(folder).replaceAll(/[^\w/]/g, "\\$&")}(?![\\w.-])`, "g");
}

/** Larger files, and folders with more, are what tools made: builds, caches, databases. */
const FILE_BYTES = 1024 * 1024;
const FOLDER_BYTES = 8 * FILE_BYTES;
const FOLDER_FILES = 200;
const FILES = 500;
/** How tools mark a folder of theirs that nobody needs to keep (https://bford.info/cachedir/). */
const CACHE_TAG = "CACHEDIR.TAG";

/**
 * Small files that no tree holds and that tests may need, such as settings and data that git ignores. `paths` are those of
 * files, and of folders with a slash at the end. What is installed, and whole folders that are large or a cache, are left out.
 */
export async function smallIgnoredFiles(
  top: string,
  paths: readonly RawPath[],
): Promise<RawPath[]> {
  const found: RawPath[] = [];
  for (const path of paths) {
    if (path.split("/").some((name) => name === OWN_FOLDER[0] || name in LINK_RULES)) continue;
    const more = path.endsWith("/")
      ? await filesIn(top, path.slice(0, -1))
      : await sizeOf(top, path).then((size) => (size <= FILE_BYTES ? [path] : []));
    if (found.length + more.length <= FILES) found.push(...more);
  }
  return found.sort();
}

/**
 * All files of a folder; none where they are too many, or where one names the place of the project: such a folder was built
 * for that place, and tools refuse it in another one.
 */
async function filesIn(top: string, folder: RawPath): Promise<RawPath[]> {
  const found: RawPath[] = [];
  const place = Buffer.from(rawOf(top), "latin1");
  let bytes = 0;
  for (const open = [folder]; open.length > 0; ) {
    const at = open.pop() ?? "";
    const entries = await opendir(fileAt(top, at), { encoding: "latin1" }).catch(() => []);
    for await (const entry of entries) {
      const path = `${at}/${entry.name}`;
      if (entry.name === CACHE_TAG || entry.name === ".git" || entry.name in LINK_RULES) return [];
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) {
        const size = await sizeOf(top, path);
        if (size <= FILE_BYTES && (await readFile(fileAt(top, path))).includes(place)) return [];
        bytes += size;
        found.push(path);
      }
      if (bytes > FOLDER_BYTES || found.length + open.length > FOLDER_FILES) return [];
    }
  }
  return found;
}

/** In bytes; of what is no regular file more than any. */
async function sizeOf(top: string, path: RawPath): Promise<number> {
  const stats = await lstat(fileAt(top, path)).catch(() => null);
  return stats?.isFile() ? stats.size : Number.POSITIVE_INFINITY;
}

/**
 * Copies such files, as old as they are, to where nothing is yet in another copy of the project. One whose copy is not what
 * the digest says is left out.
 */
async function copyIgnoredFiles(
  from: string,
  to: string,
  digests: ReadonlyMap<RawPath, string>,
): Promise<void> {
  for (const [path, digest] of digests) {
    const [there, here] = [fileAt(from, path), fileAt(to, path)];
    if (await lstat(here).catch(() => null)) continue;
    const folder = fileAt(to, posix.dirname(path));
    const made = await mkdir(folder, { recursive: true }).catch(() => null);
    // A link of the copy may lead out of it.
    if (made === null || !isBelow(to, await realpath(folder, { encoding: "buffer" }))) continue;
    await copyFile(there, here, constants.COPYFILE_FICLONE);
    if ((await fileDigest(here)) !== digest) {
      await rm(here, { force: true });
      continue;
    }
    const { atime, mtime } = await lstat(there);
    await utimes(here, atime, mtime);
  }
}

function isBelow(top: string, folder: Buffer): boolean {
  return `${folder.toString("latin1")}/`.startsWith(`${rawOf(top)}/`);
}
