import { readlink } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { commitAt, OURSELVES, requireTreeOf, writeCommit } from "../checkpoint/commit-object.ts";
import { isOwnPath } from "../folders.ts";
import { changedMeanwhile } from "../git/errors.ts";
import { ObjectWriter, withQuarantine } from "../git/object-writer.ts";
import { ownGit } from "../git/own-git.ts";
import { commitOf, type Repository, requireRepository, zeroName } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { editTree, type TreeDifference, type TreeEdit, treeDifferences } from "../git/trees.ts";
import { LFS } from "../measure/lfs.ts";
import { filtersOf, lfsPointerText } from "../measure/lfs-files.ts";
import { type OpenRepository, openRepository } from "../measure/open-repository.ts";
import { orAgain } from "../measure/working-tree.ts";
import { fileAt, lstatOf, quotedPath, type RawPath, rawOf, records, textOf } from "../raw-path.ts";
import { type Conversions, conversionsOf } from "./conversions.ts";
import { requireWorktree } from "./place.ts";

/**
 * A commit of the worktree's files on its branch, on top of what the agent committed, wherever its HEAD is; HEAD is on
 * the branch afterwards. Null when the branch has all of it.
 */
export async function commitWorktree(
  given: OpenRepository,
  id: string,
  message: string,
): Promise<string | null> {
  const { repository, objects, without } = given;
  const worktree = await requireWorktree(repository, id);
  const opened =
    repository.top === worktree.top
      ? given
      : { ...openRepository(await requireRepository(worktree.top), objects), without };
  return commitBranch(opened, worktree.branch, message);
}

/** The same on a branch of the working tree that is open. */
export async function commitBranch(
  opened: OpenRepository,
  branch: string,
  message: string,
): Promise<string | null> {
  const there = opened.repository;
  const ref = `refs/heads/${branch}`;
  const [tip, head] = await Promise.all([commitOf(there, ref), commitOf(there, "HEAD")]);
  const parents = await withoutAncestors(there, [tip, head]);
  const { name, foreign } = await withQuarantine(there, (writer, folder) =>
    commitTree(opened, head ?? tip, { writer, folder }),
  );
  for (const [path, driver] of foreign) {
    throw new LoopError(
      "invalid_input",
      `${textOf(path)} goes through the filter ${textOf(driver)}, which is not run from here. Commit by hand: git -C ${there.top} commit -a.`,
    );
  }
  const [only, another] = parents;
  const text = rawOf(message.replaceAll("\0", "").trim());
  const isKept = another === undefined && only && (await commitAt(there, only))?.tree === name;
  const commit = isKept
    ? only
    : await writeCommit(there, name, parents, text, await authorIn(there.top));
  const note = ["-m", "ccw-loop: commit"];
  // First the branch, which moves only from where it was looked at: what follows belongs to whoever moved it.
  await git(["update-ref", ...note, ref, commit, tip ?? zeroName(there)], { cwd: there.top });
  await git(["read-tree", "--reset", commit], { cwd: there.top });
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

export interface CommitTree {
  name: string;
  /** Untracked files that it does not have. */
  leftOut: Map<RawPath, string>;
  /** Changed files that only a program of the user's could put into it (path and driver). */
  foreign: Map<RawPath, string>;
}

/** Where the objects of a commit go. */
interface Target {
  writer: ObjectWriter;
  /** The folder that it writes to; without it files are named and not stored. */
  folder?: string;
}

/**
 * The tree that `git add --all` would give on top of a commit, without what no checkpoint keeps and without running programs.
 * What it holds is what lies in the folder, with the line ends and encodings that the user's attributes ask for.
 */
export async function commitTree(
  opened: OpenRepository,
  onto: string | null,
  target: Target = { writer: new ObjectWriter(opened.objects, opened.repository.hash) },
): Promise<CommitTree> {
  const { repository, measure, without } = opened;
  return orAgain(async () => {
    const found = await measure.look(without);
    const before = onto === null ? null : await requireTreeOf(repository, onto);
    const all = await treeDifferences(repository, before, found.tree);
    const differing = all.filter(({ path }) => !found.leftOut.has(path) && !isOwnPath(path));
    try {
      const { edits, foreign } = await converted(repository, differing, target);
      const name = await editTree(repository, target.writer, before, edits);
      return { name, leftOut: found.leftOut, foreign };
    } catch (error) {
      const gone = differing.find(
        ({ kind, path }) =>
          kind !== "deleted" && lstatOf(fileAt(repository.top, path)) === undefined,
      );
      throw gone === undefined ? error : changedMeanwhile(gone.path);
    }
  });
}

/** What becomes of paths whose bytes are not those of a commit, as git would add them. */
async function converted(
  repository: Repository,
  differing: readonly TreeDifference[],
  { writer, folder }: Target,
) {
  const { top } = repository;
  const conversions = await conversionsOf(repository);
  const files = differing.filter(({ after }) => after.mode.startsWith("100"));
  const drivers = await filtersOf(
    repository,
    files.map(({ path }) => path),
  );
  const edits = new Map<RawPath, TreeEdit>();
  const foreign = new Map<RawPath, string>();
  const plain: TreeDifference[] = [];
  for (const difference of differing) {
    const { path, kind, after } = difference;
    const place = fileAt(top, path);
    const driver = drivers.get(path);
    if (kind === "deleted") edits.set(path, null);
    else if (after.mode === "160000") edits.set(path, after);
    else if (after.mode === "120000") {
      const target = await readlink(place, { encoding: "buffer" });
      edits.set(path, { ...after, name: await writer.write("blob", target) });
    } else if (driver === undefined || !conversions.drivers.has(driver)) plain.push(difference);
    else if (driver === LFS) {
      const text = await lfsPointerText(repository, place, folder !== undefined);
      edits.set(path, { ...after, name: await writer.write("blob", text) });
    } else foreign.set(path, driver);
  }
  const names = await convertedNames(repository, conversions, plain, folder);
  plain.forEach(({ path, after }, index) => {
    edits.set(path, { ...after, name: names[index] ?? "" });
  });
  return { edits, foreign: await changedAmong(repository, foreign) };
}

/** Git's names of files, with its own conversions; with `folder` they are stored there. */
async function convertedNames(
  { top }: Repository,
  { config, env }: Conversions,
  files: readonly TreeDifference[],
  folder: string | undefined,
): Promise<string[]> {
  if (files.length === 0) return [];
  const stored = folder === undefined ? [] : ["-w"];
  const { stdout } = await git(["hash-object", ...stored, "--stdin-paths"], {
    ...{ cwd: top, config },
    env: { ...env, ...(folder === undefined ? {} : { GIT_OBJECT_DIRECTORY: folder }) },
    input: files.map(({ path }) => quotedPath(path)),
    ended: "\n",
  });
  return stdout.trimEnd().split("\n");
}

/** Those of the files that the user's index does not call the same: what a filter makes of them is not known. */
async function changedAmong(
  { top, hash, index }: Repository,
  foreign: ReadonlyMap<RawPath, string>,
): Promise<Map<RawPath, string>> {
  if (foreign.size === 0) return new Map();
  const tracked = await git(["ls-files", "-z"], { cwd: top });
  const env = { ...(await ownGit(top, hash)), GIT_INDEX_FILE: index };
  const differs = await git(["diff-files", "-z", "--name-only"], { cwd: top, env });
  const known = new Set(records(tracked.stdout));
  const changed = new Set(records(differs.stdout));
  return new Map([...foreign].filter(([path]) => !known.has(path) || changed.has(path)));
}
