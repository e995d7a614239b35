import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Checkout, CheckoutOptions } from "@ccw-loop/core";
import { emptyFolder } from "../../empty-folder.ts";
import { copyIgnoredFiles, smallIgnoredFiles } from "../../lend/beside.ts";
import { installedFolders } from "../../lend/installed.ts";
import {
  changedInstalled,
  installedManifest,
  keepInstalled,
  type Unchanged,
  unchangedFiles,
  unchangedIgnoredFiles,
} from "../../lend/installed-files.ts";
import { linkInstalled } from "../../lend/lend.ts";
import { type RawPath, rawOf, textOf } from "../../raw-path.ts";
import { isSecret } from "../../secrets.ts";
import type { OpenRepository } from "../opened.ts";
import { shownPath } from "../paths.ts";
import type { Repository } from "../repository.ts";
import { git } from "../run-git.ts";
import { checkpointEntries, type TreeEntry } from "./kept.ts";
import { fillSubmodules } from "./submodules.ts";
import { writeFiles } from "./write-files.ts";

/** The checkpoint's files in a plain folder, with what is installed in the project; the folder that is `cwd` there. */
export async function checkout(
  { repository }: OpenRepository,
  commit: string,
  folder: string,
  { overlay, installed }: CheckoutOptions = {},
): Promise<Checkout> {
  const entries = await checkpointEntries(repository, commit);
  const laid = overlay ? await overlaid(repository, entries, overlay) : entries;
  const unchanged = installed === undefined ? null : await unchangedSince(repository, installed);
  const top = await emptyFolder(folder, repository.top);
  await writeFiles(repository, top, laid);
  await fillSubmodules(repository, top, laid);
  const folders = await installedIn(repository);
  await linkInstalled(repository.top, top, folders, unchanged);
  if (installed !== undefined) {
    const beside = await unchangedIgnoredFiles(listsOf(repository), repository.top, installed);
    await copyIgnoredFiles(repository.top, top, beside);
  }
  const cwd = resolve(top, repository.prefix);
  await mkdir(cwd, { recursive: true });
  const linked = unchanged === null ? folders.map((path) => join(repository.top, path)) : [];
  return { cwd, top, project: repository.top, linked };
}

/** The entries, with those of another checkpoint in the place of the named paths. */
async function overlaid(
  repository: Repository,
  entries: readonly TreeEntry[],
  { commit, paths }: NonNullable<CheckoutOptions["overlay"]>,
): Promise<TreeEntry[]> {
  const named = new Set(paths);
  const isNamed = ({ path }: TreeEntry) => named.has(shownPath(repository, path));
  const other = await checkpointEntries(repository, commit);
  return [...entries.filter((entry) => !isNamed(entry)), ...other.filter(isNamed)];
}

/** The paths of a checkpoint, as people and programs see them. */
export async function pathsOf({ repository }: OpenRepository, commit: string): Promise<string[]> {
  return (await checkpointEntries(repository, commit)).map(({ path }) =>
    shownPath(repository, path),
  );
}

/** What is installed in the project now, as `checkout` compares it later. */
export async function installed({ repository }: OpenRepository): Promise<string> {
  const { top } = repository;
  const beside = await smallIgnoredFiles(top, await inNoTree(repository));
  const manifest = await installedManifest(top, await installedIn(repository), beside);
  return keepInstalled(listsOf(repository), manifest);
}

/** What git ignores, and secrets that it does not know; folders with a slash at the end. */
async function inNoTree({ top }: Repository): Promise<RawPath[]> {
  const others = async (...options: string[]) => {
    const args = ["ls-files", "-z", "--others", "--exclude-standard", ...options];
    const { stdout } = await git(args, { cwd: top });
    return stdout.split("\0").filter((path) => path !== "");
  };
  const [ignored, untracked] = await Promise.all([others("--ignored", "--directory"), others()]);
  return [...ignored, ...untracked.filter(isSecret)];
}

/** Paths of what is not installed as it was then. */
export async function changedSince(
  { repository }: OpenRepository,
  name: string,
): Promise<string[]> {
  return changedInstalled(listsOf(repository), repository.top, await installedIn(repository), name);
}

async function unchangedSince(repository: Repository, name: string): Promise<Unchanged> {
  return unchangedFiles(listsOf(repository), repository.top, await installedIn(repository), name);
}

/**
 * The folder with the lists of what was installed: the same for all worktrees of a repository, for a loop may begin in
 * one and be continued in another.
 */
function listsOf({ cwd, prefix, gitDir, objects }: Repository): string {
  const common = dirname(objects);
  const isLinked = gitDir !== common && basename(common) === ".git";
  return isLinked ? join(dirname(common), prefix) : cwd;
}

/** Installed folders of the project that git ignores; what it does not ignore is kept like any file. */
export async function installedIn({ top }: Repository): Promise<string[]> {
  return ignoredIn(top, await installedFolders(top));
}

/** Those of the folders that the repository at `top` ignores, there or not. */
export async function ignoredIn(top: string, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const input = folders.map(async (folder) => {
    // A pattern may ask for a folder, which a link is not; git takes a slash behind a link for a mistake.
    const found = await lstat(join(top, folder)).catch(() => null);
    return rawOf(found?.isSymbolicLink() ? folder : `${folder}/`);
  });
  const { stdout } = await git(["check-ignore", "-z", "--stdin"], {
    cwd: top,
    input: await Promise.all(input),
    answers: [1],
  });
  return stdout
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => textOf(path).replace(/\/$/, ""));
}
