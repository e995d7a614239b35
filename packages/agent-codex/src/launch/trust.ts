import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * The folders whose own `.codex` settings must not be loaded: `cwd`, every folder above it up to the top of
 * its repository, and for a linked worktree the main one. A repository's settings can start programs, and
 * trust in any of these folders would let them in.
 */
export async function untrustedFolders(cwd: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    const git = join(folder, ".git");
    const found = await stat(git).catch(() => undefined);
    if (found?.isDirectory()) return folders;
    if (found?.isFile()) return [...folders, ...(await mainWorktree(git, folder))];
    if (dirname(folder) === folder) return [cwd];
  }
}

/** The top of the repository that a linked worktree's `.git` file points into. */
async function mainWorktree(gitFile: string, folder: string): Promise<string[]> {
  const [, target] = /^gitdir: (.+)$/m.exec(await readFile(gitFile, "utf8")) ?? [];
  if (target === undefined) return [];
  const [main] = resolve(folder, target).split(/[/\\]\.git[/\\]worktrees[/\\]/);
  return main && main !== resolve(folder, target) ? [main] : [];
}
