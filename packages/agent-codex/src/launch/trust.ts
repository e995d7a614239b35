import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * The folders whose own `.codex` settings must not be loaded: `cwd`, every folder above it up to the top of
 * its repository, and for a linked worktree the main one. A repository's settings can start programs, and
 * trust in any of these folders would let them in.
 */
export async function untrustedFolders(cwd: string): Promise<string[]> {
  const { folders, linkedTo } = await foldersToTop(cwd);
  return linkedTo === null ? folders : [...folders, linkedTo];
}

/** The top of the linked worktree that `cwd` lies in, and that of its main one; null outside of one. */
export async function linkedWorktree(cwd: string): Promise<{ top: string; main: string } | null> {
  const { folders, linkedTo } = await foldersToTop(cwd);
  return linkedTo === null ? null : { top: folders.at(-1) ?? cwd, main: linkedTo };
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
