import { randomUUID } from "node:crypto";
import { lstat, realpath, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { LoopClone, Repositories, StoredCheckpoint, Workspace } from "@ccw-loop/core";
import { branchOf } from "../checkpoint/refs.ts";
import { hiddenFolder, objectsFolder } from "../folders.ts";
import { commitOf, type Repository, requireRepository } from "../git/repository.ts";
import { gitWorkspace } from "../git-workspace.ts";
import { openRepository } from "../measure/open-repository.ts";
import { commitBranch } from "../worktree/commit.ts";
import { makeClone } from "./clone.ts";
import { Mirror } from "./mirror.ts";

/**
 * Repositories that loops bring with them, in a folder of this machine: a mirror for each repository, and a clone for
 * each loop that is driven here. The folder may be deleted while nothing of ours runs: what is not pushed is lost then.
 */
export function gitRepositories({ cache }: { cache: string }): Repositories {
  const mirrorOf = ({ url }: { url: string }) => new Mirror(cache, url);
  const folder = join(cache, "loops");
  return {
    machine: hostname(),
    async isHere({ path }) {
      const ours = await realpath(folder).catch(() => folder);
      const found = await lstat(path).catch(() => null);
      return dirname(path) === ours && found?.isDirectory() === true;
    },
    async clone(id, repository, from) {
      return makeClone({ mirror: mirrorOf(repository), folder, id, ref: repository.ref, from });
    },
    async reach(repository) {
      await mirrorOf(repository).tipOf("HEAD");
    },
    async workspace(clone) {
      const known = await requireRepository(clone.path);
      return travelling(gitWorkspace(clone.path, known), known, clone, mirrorOf(clone.repository));
    },
    async publish({ id, path }, documents) {
      const folder = await hiddenFolder(path, `${id}.progress`);
      for (const [name, text] of Object.entries(documents)) {
        const draft = join(folder, `.${randomUUID()}`);
        await writeFile(draft, text, { flag: "wx" });
        // In the place of a link, and not through it.
        await rename(draft, join(folder, name));
      }
      return folder;
    },
  };
}

/** The workspace of a clone, whose checkpoints and end are pushed before anybody is told of them. */
function travelling(
  workspace: Workspace,
  repository: Repository,
  { id, path }: LoopClone,
  mirror: Mirror,
): Workspace {
  const { objects } = repository;
  /** The newest that could not be pushed, by whose it is. */
  const unsent = new Map<string, StoredCheckpoint>();
  return {
    ...workspace,
    async checkpoint(loop, n, message, options = {}) {
      // Kept once, however often it takes to push it.
      const after = unsent.get(`${loop} ${n}`)?.commit ?? options.after;
      const kept = await workspace.checkpoint(loop, n, message, { ...options, after });
      if (kept.commit === options.after) return kept;
      unsent.set(`${loop} ${n}`, kept);
      await mirror.pushCheckpoint(loop, n, kept.commit, objects);
      unsent.delete(`${loop} ${n}`);
      return kept;
    },
    async commitWorktree(_loop, message, without) {
      const opened = openRepository(repository, await objectsFolder(path));
      const branch = branchOf(id);
      const made = await commitBranch({ ...opened, without: new Set(without) }, branch, message);
      const tip = await commitOf(repository, `refs/heads/${branch}`);
      if (tip !== null) await mirror.pushBranch(id, tip, objects);
      return made;
    },
  };
}
