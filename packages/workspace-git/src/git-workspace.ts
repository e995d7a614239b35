import { join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { adopt, checkpoint, forget } from "./checkpoint/checkpoint.ts";
import { diffCheckpoints } from "./checkpoint/diff.ts";
import { readCheckpoint } from "./checkpoint/entries.ts";
import { restore } from "./checkpoint/restore.ts";
import { changedSince, checkout, installed, pathsOf } from "./clean-room/checkout.ts";
import { objectsFolder } from "./folders.ts";
import { pruneObjects } from "./git/prune.ts";
import { type Repository, requireRepository } from "./git/repository.ts";
import { type OpenRepository, openRepository } from "./measure/open-repository.ts";
import { changes, commitWithTree, untracked, withChanges } from "./measure/tree-changes.ts";
import { treeClaims } from "./tree-claim.ts";
import { addWorktree } from "./worktree/add.ts";
import { commitWorktree } from "./worktree/commit.ts";
import { removeWorktree, worktreesInUse } from "./worktree/remove.ts";

/** The process that reads objects is kept from one turn of an agent to the next. */
const READER_IDLE_MS = 10 * 60 * 1000;

/**
 * The whole repository around `cwd`, from its top level, so that a change beside a subfolder is seen too;
 * paths are relative to `cwd`. Every method throws `invalid_input` where there is no repository. `known` is the
 * repository where it was found already.
 */
export function gitWorkspace(cwd: string, known?: Repository): Workspace {
  let found: Promise<OpenRepository> | undefined;
  let pruned: Promise<void> | undefined;
  const open = async (without: readonly string[] = []): Promise<OpenRepository> => {
    const objects = await objectsFolder(cwd);
    found ??= Promise.resolve(known ?? requireRepository(cwd))
      .then((repository) => openRepository(repository, objects, READER_IDLE_MS))
      .catch((error: unknown) => {
        found = undefined;
        throw error;
      });
    return { ...(await found), without: new Set(without) };
  };
  const claims = async () => {
    const { top, gitDir } = (await open()).repository;
    return treeClaims({ top, folder: join(gitDir, "ccw-loop") });
  };
  return {
    kind: "git",
    lacks: [],
    claim: async (holder, ttlMs) => (await claims()).claim(holder, ttlMs),
    holder: async () => (await claims()).holder(),
    tree: async (without) => {
      const { measure, without: names } = await open(without);
      return (await measure.look(names)).tree;
    },
    changes: async (from, to) => changes(await open(), from, to),
    withChanges: async (onto, from, to) => withChanges(await open(), onto, from, to),
    untracked: async () => untracked(await open()),
    async checkpoint(id, n, message, { after, without, looked } = {}) {
      const opened = await open(without);
      // A folder that stays too large is no reason to keep nothing.
      pruned ??= pruneObjects(opened).catch(() => undefined);
      await pruned;
      return checkpoint(opened, { id, n, message, after, looked });
    },
    read: async (commit, paths) => readCheckpoint(await open(), commit, paths),
    diff: async (from, to, options) => diffCheckpoints(await open(), from, to, options),
    restore: async (commit, leaves) => restore(await open(leaves), commit, leaves),
    checkout: async (commit, folder, options) => checkout(await open(), commit, folder, options),
    installed: async () => installed(await open()),
    changedInstalled: async (name) => changedSince(await open(), name),
    commitOf: async (tree) => commitWithTree(await open(), tree),
    paths: async (commit) => pathsOf(await open(), commit),
    addWorktree: async (id, commit) => addWorktree(await open(), id, commit),
    commitWorktree: async (id, message, without) =>
      commitWorktree(await open(without), id, message),
    worktrees: async () => worktreesInUse(await open()),
    removeWorktree: async (id, options) => removeWorktree(await open(), id, options),
    adopt: async (id, n, commit) => adopt(await open(), id, n, commit),
    forget: async (id) => forget(await open(), id),
  };
}
