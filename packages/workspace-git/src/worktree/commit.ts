import { LoopError } from "@ccw-loop/core";
import { OURSELVES } from "../checkpoint/checkpoint.ts";
import { isOwnPath } from "../folders.ts";
import { type PrivateIndex, withPrivateIndex, withQuarantine } from "../git/index.ts";
import { textBlobs, writeCommit } from "../git/objects.ts";
import {
  commitOf,
  type ObjectStoreEnv,
  type OpenRepository,
  type Repository,
  requireRepository,
  zeroName,
} from "../git/repository.ts";
import { git } from "../git/run.ts";
import { fileAt, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { findFilters } from "../snapshot/filters.ts";
import { LFS } from "../snapshot/lfs.ts";
import { lfsPointerText } from "../snapshot/lfs-files.ts";
import { workTreeStatus } from "../snapshot/status.ts";
import { requireWorktree, treeOf } from "./place.ts";

/**
 * A commit of the worktree's files on its branch, on top of what the agent committed, wherever its HEAD is; HEAD is on
 * the branch afterwards. Null when the branch has all of it.
 */
export async function commitWorktree(
  { repository, objects, without = new Set() }: OpenRepository,
  id: string,
  message: string,
): Promise<string | null> {
  const worktree = await requireWorktree(repository, id);
  const there = await requireRepository(worktree.top);
  const ref = `refs/heads/${worktree.branch}`;
  const [tip, head] = await Promise.all([commitOf(there, ref), commitOf(there, "HEAD")]);
  const parents = await withoutAncestors(there, [tip, head]);
  const { name, foreign } = await withQuarantine(there, (into) =>
    withPrivateIndex({ repository: there, objects, without }, (index) => commitTree(index, into)),
  );
  for (const [path, driver] of foreign) {
    throw new LoopError(
      "invalid_input",
      `${textOf(path)} goes through the filter ${textOf(driver)}, which is not run from here. Commit by hand: git -C ${there.top} commit -a.`,
    );
  }
  const [only, another] = parents;
  const text = rawOf(message.replaceAll("\0", "").trim());
  const isKept = another === undefined && only && (await treeOf(there, only)) === name;
  const commit = isKept
    ? only
    : await writeCommit(there, name, parents, text, await authorIn(there.top));
  const note = ["-m", "ccw-loop: commit"];
  // First the branch, which moves only from where it was looked at: what follows belongs to whoever moved it.
  await git(["update-ref", ...note, ref, commit, tip ?? zeroName(there)], { cwd: there.top });
  await refreshIndex(there, commit);
  await git(["symbolic-ref", ...note, "HEAD", ref], { cwd: there.top });
  return commit === tip ? null : commit;
}

/** Those of the commits that lead to no other of them. */
async function withoutAncestors(
  { top }: Repository,
  commits: readonly (string | null)[],
): Promise<string[]> {
  const known = [...new Set(commits)].filter((commit) => commit !== null);
  if (known.length < 2) return known;
  const { stdout } = await git(["merge-base", "--independent", ...known], { cwd: top });
  return stdout.trim().split("\n");
}

/** The user, where a name and an address are configured; git finds them itself. Else us. */
async function authorIn(top: string): Promise<Readonly<Record<string, string>>> {
  const asked = ["name", "email"].map(async (key) => {
    const answer = await git(["config", "--get", `user.${key}`], { cwd: top, answers: [1] });
    return answer.stdout.trim() !== "";
  });
  return (await Promise.all(asked)).every(Boolean) ? {} : OURSELVES;
}

/** Makes the worktree's own index the commit's, with the times of the files that are the same. */
async function refreshIndex({ top }: Repository, commit: string): Promise<void> {
  const { config } = await findFilters(top);
  await git(["read-tree", "--reset", commit], { cwd: top, config });
  await git(["update-index", "-q", "--refresh"], { cwd: top, config, answers: [1] });
}

export interface CommitTree {
  name: string;
  /** Untracked files that it does not have. */
  leftOut: Map<RawPath, string>;
  /** Changed files that only a program of the user's could put into it (path and driver). */
  foreign: Map<RawPath, string>;
}

/** The tree that `git add --all` would give, without what no checkpoint keeps and without running programs. */
export async function commitTree(index: PrivateIndex, into: ObjectStoreEnv): Promise<CommitTree> {
  const { repository, run } = index;
  const found = await workTreeStatus(index, true);
  const { filtered } = found.converted;
  const zero = zeroName(repository);
  const records: RawPath[] = [...found.deleted, ...found.deletedDuringScan]
    .filter((path) => !isOwnPath(path))
    .map((path) => `0 ${zero}\t${path}`);
  const read: RawPath[] = [];
  const foreign = new Map<RawPath, string>();
  for (const [path, file] of found.seen) {
    if (found.leftOut.has(path) || !file.differs) continue;
    const driver = file.regular ? filtered.get(path) : undefined;
    if (driver === undefined) read.push(path);
    else if (driver === LFS) {
      const text = await lfsPointerText(
        repository,
        fileAt(repository.top, path),
        file,
        into !== null,
      );
      const [name] = await textBlobs(repository, [text], into);
      records.push(`${file.mode} ${name}\t${path}`);
    } else foreign.set(path, driver);
  }
  const update = ["update-index", "--add", "--remove", "--replace"];
  if (records.length > 0) await run(["update-index", "-z", "--index-info"], { input: records });
  const how = into ? update : [...update, "--info-only"];
  if (read.length > 0) await run([...how, "-z", "--stdin"], { input: read, into });
  const { stdout } = await run(["write-tree", ...(into ? [] : ["--missing-ok"])], { into });
  return { name: stdout.trim(), leftOut: found.leftOut, foreign };
}
