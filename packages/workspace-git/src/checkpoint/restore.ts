import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FileChange, LoopError } from "@ccw-loop/core";
import { hiddenFolder } from "../folders.ts";
import { unsafePath, unwritable } from "../git/errors.ts";
import { fileBlobName } from "../git/object-writer.ts";
import { type Repository, shownPath } from "../git/repository.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { bytesOf, fileAt, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { type Difference, differences } from "./differences.ts";
import { requireCheckpoint } from "./entries.ts";
import { modeLike, writeFiles } from "./write-files.ts";

/**
 * Makes the files of the working tree those of a checkpoint. Files that the rules of that time ignore stay; so
 * the `.gitignore` files go first, and what is left to do is found after that. What was ignored only since then is in
 * no checkpoint: it is set aside. Paths in `skipPaths` stay as they are.
 */
export async function restore(
  opened: OpenRepository,
  commit: string,
  skipPaths: readonly string[] = [],
): Promise<FileChange[]> {
  const { repository } = opened;
  const note = await requireCheckpoint(repository, commit);
  const left = new Set(skipPaths);
  const find = async () => {
    const found = await differences(opened, commit, note);
    return found.filter(({ path }) => !left.has(shownPath(repository, path)));
  };
  const all = await find();
  const rules: Difference[] = [];
  for (const difference of all.filter(({ path }) => /(^|\/)\.gitignore$/.test(path))) {
    if (await canWrite(repository.top, difference)) rules.push(difference);
  }
  const added = new Set(all.filter(({ kind }) => kind === "added").map(({ path }) => path));
  await backUp(repository, await unkeptIn(repository, rules, added));
  await apply(repository, rules);
  const rest = rules.length > 0 ? await find() : all;
  await requireNoObstacle(repository.top, rest);
  const seen = new Set(all.map(({ path }) => path));
  const unkept = rest.filter(({ path, kind }) => kind === "deleted" && !seen.has(path));
  await backUp(repository, [
    ...unkept.map(({ path }) => path),
    ...(await unkeptIn(repository, rest, added)),
  ]);
  await apply(repository, rest);
  const done = new Map([...rules, ...rest].map(({ path, kind }) => [path, kind]));
  return [...done].map(([path, kind]) => ({ path: shownPath(repository, path), kind }));
}

/** Files that were part of no tree, being ignored, and would be written over: `added` are paths where the tree had nothing. */
async function unkeptIn(
  { top, hash }: Repository,
  wanted: readonly Difference[],
  added: ReadonlySet<RawPath>,
): Promise<RawPath[]> {
  const found: RawPath[] = [];
  for (const { path, name } of wanted.filter((one) => added.has(one.path))) {
    const file = fileAt(top, path);
    // A file behind a link is elsewhere: the link goes, and is kept.
    const inside = await isReachable(top, path).catch(() => false);
    const stats = inside ? await lstat(file).catch(() => null) : null;
    if (stats === null || stats.isDirectory()) continue;
    const isSame = stats.isFile() && (await fileBlobName(hash, file, stats.size)) === name;
    if (!isSame) found.push(path);
  }
  return found;
}

async function apply(repository: Repository, wanted: readonly Difference[]): Promise<void> {
  const { top } = repository;
  const gone = wanted.filter(
    ({ kind, mode }) => kind === "deleted" || (kind === "modified" && mode === "160000"),
  );
  await removeFiles(
    repository,
    gone.map(({ path }) => path),
  );
  const kept = wanted.filter(({ kind }) => kind !== "deleted");
  await removeEmptyFolders(top, kept);
  for (const entry of kept.filter(onlyModeChanged)) {
    const file = fileAt(top, entry.path);
    await chmod(file, modeLike((await lstat(file)).mode, entry.mode));
  }
  await writeFiles(
    repository,
    top,
    kept.filter((entry) => !onlyModeChanged(entry)),
  );
}

/** Whether only the right to run the file differs. */
function onlyModeChanged({ mode, name, there }: Difference): boolean {
  const regular = mode.startsWith("100") && there.mode.startsWith("100");
  return regular && name === there.name && mode !== there.mode;
}

const NOTHING: ReadonlySet<RawPath> = new Set();

/** Whether a path can be written without removing something else. */
async function canWrite(top: string, { path }: Difference): Promise<boolean> {
  return (await obstacleTo(top, path, NOTHING)) === null;
}

/**
 * Throws before anything is done: `unsafe_path` for a folder that became a link which nobody keeps (an ignored
 * one), `invalid_input` for files that nobody keeps where something is to be written.
 */
async function requireNoObstacle(top: string, wanted: readonly Difference[]): Promise<void> {
  const removed = new Set(wanted.filter(({ kind }) => kind === "deleted").map(({ path }) => path));
  for (const { path, kind, mode } of wanted) {
    if (kind === "deleted" || mode === "160000") continue;
    const found = await obstacleTo(top, path, removed);
    if (found === null) continue;
    if (found.link) throw unsafePath(top, found.path);
    throw new LoopError(
      "invalid_input",
      `${textOf(found.path)} in ${top} is in no checkpoint, and lies where ${textOf(path)} is to be restored. Move it away and try again.`,
    );
  }
}

interface Obstacle {
  path: RawPath;
  link: boolean;
}

/** What would be lost, or written through, if the file were written. */
async function obstacleTo(
  top: string,
  path: RawPath,
  removed: ReadonlySet<RawPath>,
): Promise<Obstacle | null> {
  for (const folder of foldersOf(path)) {
    const found = await lstat(fileAt(top, folder)).catch(() => null);
    if (found === null || removed.has(folder)) return null;
    if (!found.isDirectory()) return { path: folder, link: found.isSymbolicLink() };
  }
  const found = await lstat(fileAt(top, path)).catch(() => null);
  return found?.isDirectory() ? firstBelow(top, path, removed) : null;
}

async function firstBelow(
  top: string,
  folder: RawPath,
  removed: ReadonlySet<RawPath>,
): Promise<Obstacle | null> {
  for (const entry of await readdir(fileAt(top, folder), {
    encoding: "buffer",
    withFileTypes: true,
  })) {
    const path = `${folder}/${entry.name.toString("latin1")}`;
    if (removed.has(path)) continue;
    if (!entry.isDirectory()) return { path, link: false };
    const found = await firstBelow(top, path, removed);
    if (found) return found;
  }
  return null;
}

/** Removes empty folders where files are to be written. */
async function removeEmptyFolders(top: string, wanted: readonly Difference[]): Promise<void> {
  for (const { path, mode } of wanted) {
    if (mode === "160000") continue;
    const found = await lstat(fileAt(top, path)).catch(() => null);
    if (found?.isDirectory()) await removeEmpty(fileAt(top, path));
  }
}

async function removeEmpty(folder: Buffer): Promise<void> {
  for (const name of await readdir(folder, { encoding: "buffer" })) {
    await removeEmpty(Buffer.concat([folder, Buffer.from("/"), name]));
  }
  await rmdir(folder).catch((error: unknown) => {
    throw unwritable(error, folder);
  });
}

/** Removes files and links, then the folders that are empty because of it; `cwd` and what is above it stay. */
export async function removeFiles(
  { top, prefix }: Repository,
  paths: readonly RawPath[],
): Promise<void> {
  const folders = new Set<RawPath>();
  for (const path of paths) {
    if (!(await isReachable(top, path))) continue;
    await unlink(fileAt(top, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unwritable(error, fileAt(top, path));
    });
    for (const folder of foldersOf(path)) folders.add(folder);
  }
  const home = rawOf(prefix);
  const emptied = [...folders].filter((path) => !home.startsWith(`${path}/`));
  for (const path of emptied.sort((a, b) => b.length - a.length)) {
    // Not empty: it stays.
    await rmdir(fileAt(top, path)).catch(() => undefined);
  }
}

/** Throws `unsafe_path` when a folder on the way is none; false when one is not there. */
async function isReachable(top: string, path: RawPath): Promise<boolean> {
  for (const folder of foldersOf(path)) {
    const found = await lstat(fileAt(top, folder)).catch(() => null);
    if (found === null) return false;
    if (!found.isDirectory()) throw unsafePath(top, folder);
  }
  return true;
}

/** From the top down. */
function foldersOf(path: RawPath): RawPath[] {
  const folders: RawPath[] = [];
  for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
    folders.push(path.slice(0, slash));
  }
  return folders;
}

const FOLDER = ".set-aside";
/** Of so many rewinds the files stay. */
const KEPT = 3;

/** Moves files that nobody keeps to `.workflow/.loop/.set-aside/{time}`, under their paths from the top. */
async function backUp({ top, cwd }: Repository, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  const folder = await hiddenFolder(cwd, FOLDER);
  const target = await mkdtemp(join(folder, `${Date.now()}-`));
  for (const path of paths) {
    if (!(await isReachable(top, path))) continue;
    const place = `${rawOf(target)}/${path}`;
    await mkdir(bytesOf(dirname(place)), { recursive: true });
    await rename(fileAt(top, path), bytesOf(place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unwritable(error, fileAt(top, path));
    });
  }
  const times = (await readdir(folder)).filter((name) => /^\d+-\w+$/.test(name)).sort();
  for (const time of times.slice(0, -KEPT)) await rm(join(folder, time), { recursive: true });
}
