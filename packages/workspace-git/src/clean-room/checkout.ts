import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Checkout, CheckoutOptions } from "@ccw-loop/core";
import { checkpointEntries, type TreeEntry, treeEntries } from "../checkpoint/entries.ts";
import { writeFiles } from "../checkpoint/write-files.ts";
import { emptyFolder } from "../folders.ts";
import { commitOf, findRepository, type Repository, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { isSecret } from "../not-kept.ts";
import { type RawPath, rawOf, records, textOf } from "../raw-path.ts";
import { changedInstalled, keepInstalled } from "./installed-files.ts";
import { installedFolders } from "./installed-folders.ts";
import { installInto, smallIgnoredFiles } from "./link-dependencies.ts";

/** The checkpoint's files in a plain folder, with what is installed in the project; the folder that is `cwd` there. */
export async function checkout(
  { repository }: OpenRepository,
  commit: string,
  folder: string,
  { overlay, installed }: CheckoutOptions = {},
): Promise<Checkout> {
  const entries = await checkpointEntries(repository, commit);
  const laid = overlay ? await overlaid(repository, entries, overlay) : entries;
  const top = await emptyFolder(folder, repository.top);
  await writeFiles(repository, top, laid);
  await fillSubmodules(repository, top, laid);
  const linked = await installInto(top, {
    project: repository.top,
    lists: listsOf(repository),
    folders: await installedIn(repository),
    installed,
  });
  const cwd = resolve(top, repository.prefix);
  await mkdir(cwd, { recursive: true });
  return { cwd, top, project: repository.top, linked };
}

/** The entries, with those of another checkpoint in the place of the named paths. */
async function overlaid(
  repository: Repository,
  entries: readonly TreeEntry[],
  { commit, paths }: NonNullable<CheckoutOptions["overlay"]>,
): Promise<readonly TreeEntry[]> {
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
export async function installed({ repository, measure }: OpenRepository): Promise<string> {
  const { top } = repository;
  const args = ["ls-files", "-z", "--others", "--exclude-standard", "--ignored", "--directory"];
  const [{ stdout }, untracked] = await Promise.all([git(args, { cwd: top }), measure.untracked()]);
  // What git ignores, and secrets that it does not know; folders with a slash at the end.
  const inNoTree = [...records(stdout), ...untracked.filter(isSecret)];
  const beside = await smallIgnoredFiles(top, inNoTree);
  return keepInstalled(listsOf(repository), top, await installedIn(repository), beside);
}

/** Paths of what is not installed as it was then. */
export async function changedSince(
  { repository }: OpenRepository,
  name: string,
): Promise<string[]> {
  return changedInstalled(listsOf(repository), repository.top, await installedIn(repository), name);
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
  return records(stdout).map((path) => textOf(path).replace(/\/$/, ""));
}

/**
 * Writes below `top` the files of the submodules among the entries, and of those inside of them, at the commits that the
 * entries name. One that was not initialized in the project, or whose commit is not there, stays an empty folder.
 */
export async function fillSubmodules(
  repository: Repository,
  top: string,
  entries: readonly TreeEntry[],
  prefix: RawPath = "",
): Promise<void> {
  for (const { path, mode, name } of entries) {
    if (mode !== "160000") continue;
    const submodule = await submoduleAt(repository, path);
    if (submodule === null || (await commitOf(submodule, name)) === null) continue;
    const files = await treeEntries(submodule, name, new Set());
    // From the top of the room, so that no folder on the way is a link.
    const at = (inner: RawPath) => `${prefix}${path}/${inner}`;
    await writeFiles(
      submodule,
      top,
      files.map((file) => ({ ...file, path: at(file.path) })),
    );
    await fillSubmodules(submodule, top, files, at(""));
  }
}

/** Null where no repository of its own lies at the very path: then git would find the one around it, or one elsewhere. */
async function submoduleAt({ top }: Repository, path: RawPath): Promise<Repository | null> {
  const place = join(await realpath(top), textOf(path));
  const isReal = rawOf(textOf(path)) === path && (await realpath(place).catch(() => "")) === place;
  const found = isReal ? await findRepository(place) : null;
  return found?.top === place ? found : null;
}
