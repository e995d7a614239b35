import { constants, type Dirent } from "node:fs";
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { rawOf } from "../raw-path.ts";
import { ruleFor } from "./installed.ts";
import type { Unchanged } from "./installed-files.ts";
import type { LinkRule } from "./rules.ts";

/** Larger files hold no paths that somebody asks for. */
const COPY_LIMIT = 1024 * 1024;

interface LinkJob {
  from: string;
  to: string;
  /** The installed folder, by its `/` path. */
  folder: string;
  rule: LinkRule;
  unchanged: Unchanged;
}

/**
 * Lends installed folders (`/` paths) of the project at `from` to its copy at `to`: as folders of links, so that
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
  lending: LinkJob,
  source: string,
  target: string,
  inner: string,
): Promise<void> {
  const { omitted, made, copied } = lending.rule;
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const path = inner === "" ? entry.name : `${inner}/${entry.name}`;
    const [there, here] = [join(source, entry.name), join(target, entry.name)];
    if (omitted.test(path) || hasChanged(lending, entry, path)) continue;
    if (entry.isSymbolicLink()) await linkTo(await linkTarget(lending, there), here);
    else if (entry.isDirectory() && (made.test(path) || lending.unchanged)) {
      await linkFolder(lending, there, here, path);
    } else if (lending.unchanged && !copied.test(path)) await cloneFile(there, here);
    else if (entry.isFile() && copied.test(path)) await copy(lending, there, here);
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
  const inside = relative(from, place);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return place;
  return isAbsolute(text) ? join(to, inside) : text;
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
