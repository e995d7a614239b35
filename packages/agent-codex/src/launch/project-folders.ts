import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, rmdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { LoopError, systemCode } from "@ccw-loop/core";

/** What the agent may read and not write, though it lies where it may write. */
export interface ProtectedFolders {
  /** Names below the project's folder; they may be missing as yet. */
  inside: readonly string[];
  /** The same ones of the main worktree, absolute: it may lie in a temporary folder, which can be written to. */
  elsewhere: readonly string[];
  /** Absolute, and not even read. */
  hidden: readonly string[];
}

export const NOTHING_PROTECTED: ProtectedFolders = { inside: [], elsewhere: [], hidden: [] };

/** Codex reads them as a pattern, and allows no pattern here. */
const PATTERN = /[*?[\]{}]/;

/**
 * Throws `invalid_input` for a name that does not lie below the project's folder or reads as a pattern,
 * `unsafe_path` where a link is in the way: somebody who may write to the project could turn it elsewhere.
 */
export async function protectedFolders(
  cwd: string,
  protect: readonly string[],
  hide: readonly string[] = [],
): Promise<ProtectedFolders> {
  const inside = protect.map((name) => normalize(name).replace(/[/\\]$/, ""));
  const wrong = inside.find(
    (name) => isAbsolute(name) || /^\.{0,2}$|^\.\.[/\\]/.test(name) || PATTERN.test(name),
  );
  if (wrong !== undefined) {
    throw new LoopError(
      "invalid_input",
      `"${wrong}" cannot be protected. Name a folder below the project's, without any of * ? [ ] { }.`,
    );
  }
  for (const path of inside.map((name) => join(cwd, name))) {
    if ((await realpath(path).catch(() => path)) === path) continue;
    throw new LoopError(
      "unsafe_path",
      `${path} is a link or lies behind one, so it cannot be kept from the agent. Put a real folder there.`,
    );
  }
  return {
    inside,
    elsewhere: await inMainWorktree(cwd, inside),
    hidden: hide.filter((path) => isAbsolute(path) && !PATTERN.test(path) && existsSync(path)),
  };
}

/** A sandbox does not keep what is missing from being made, at least not on every system. */
export async function makeFolders(cwd: string, { inside }: ProtectedFolders): Promise<void> {
  for (const path of inside.map((name) => join(cwd, name))) {
    if (existsSync(path)) continue;
    await mkdir(path, { recursive: true }).catch((cause: unknown) => {
      throw new LoopError(
        "agent_unavailable",
        `The folder ${path} cannot be made. Make the project's folder writable.`,
        { cause },
      );
    });
  }
}

async function inMainWorktree(cwd: string, names: readonly string[]): Promise<string[]> {
  const { folders, linkedTo } = await foldersToTop(cwd);
  if (linkedTo === null) return [];
  const counterpart = join(linkedTo, relative(folders.at(-1) ?? cwd, cwd));
  const paths = names.map((name) => join(counterpart, name));
  return paths.filter((path) => !PATTERN.test(path) && existsSync(path));
}

/**
 * The folders whose own `.codex` settings must not be loaded: `cwd`, every folder above it up to the top of
 * its repository, and for a linked worktree the main one. A repository's settings can start programs, and
 * trust in any of these folders would let them in.
 */
export async function untrustedFolders(cwd: string): Promise<string[]> {
  const { folders, linkedTo } = await foldersToTop(cwd);
  return linkedTo === null ? folders : [...folders, linkedTo];
}

/** `cwd` and every folder above it up to the top of its repository; what that is a linked worktree of. */
async function foldersToTop(cwd: string): Promise<{ folders: string[]; linkedTo: string | null }> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    const git = join(folder, ".git");
    const found = await stat(git).catch(() => undefined);
    if (found?.isDirectory()) return { folders, linkedTo: null };
    if (found?.isFile()) return { folders, linkedTo: await mainWorktree(git, folder) };
    if (dirname(folder) === folder) return { folders: [cwd], linkedTo: null };
  }
}

/** The top of the repository that a linked worktree's `.git` file points into. */
async function mainWorktree(gitFile: string, folder: string): Promise<string | null> {
  const [, target] = /^gitdir: (.+)$/m.exec(await readFile(gitFile, "utf8")) ?? [];
  if (target === undefined) return null;
  const [main] = resolve(folder, target).split(/[/\\]\.git[/\\]worktrees[/\\]/);
  return main && main !== resolve(folder, target) ? main : null;
}

/** Folders that Codex's sandbox hides; where one is missing, it makes an empty one for the time being. */
const SANDBOX_FOLDERS = [".git", ".codex", ".agents", ".aws"];

export type SandboxLeftovers = Awaited<ReturnType<typeof watchSandboxLeftovers>>;

/**
 * Looks which of the folders are not there yet: an empty one that is found later is the sandbox's. In a
 * project where one of our sessions ran before, one that is empty already is, too.
 */
export async function watchSandboxLeftovers(cwd: string, ranBefore: boolean) {
  const paths = SANDBOX_FOLDERS.map((name) => join(cwd, name));
  const contents = await Promise.all(paths.map((path) => readdir(path).catch(systemCode)));
  const ours = paths.filter((_, i) => {
    const found = contents[i];
    return found === "ENOENT" || (ranBefore && Array.isArray(found) && found.length === 0);
  });
  return {
    /** Takes away what a sandbox that was ended in its first moments left in the project. */
    async remove(): Promise<void> {
      await Promise.all(ours.map((path) => rmdir(path).catch(systemCode)));
    },
  };
}
