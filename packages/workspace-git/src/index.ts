import type { Workspace } from "@ccw-loop/core";
import { findRepository } from "./git/repository.ts";
import { gitWorkspace } from "./git-workspace.ts";
import { filesWorkspace } from "./plain-files/files-workspace.ts";

export { gitWorkspace } from "./git-workspace.ts";
export { filesWorkspace } from "./plain-files/files-workspace.ts";
export { gitRepositories } from "./repositories/repositories.ts";

/**
 * The workspace of a folder: with git where the folder lies in a repository that does not ignore it, else
 * with plain files. Throws `unsafe_path` for a repository that git does not trust.
 */
export async function openWorkspace(cwd: string): Promise<Workspace> {
  const repository = await findRepository(cwd);
  return repository ? gitWorkspace(cwd, repository) : filesWorkspace(cwd);
}
