import { LoopError } from "@ccw-loop/core";
import { isOwnPath } from "../folders.ts";
import { batches, contentsOf, sizesOf } from "../git/objects.ts";
import { OBJECT_NAME, type OpenRepository, type Repository, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { type RawPath, records } from "../raw-path.ts";
import { decodeNote, type Note } from "./note.ts";

/** A file, link or submodule of a kept tree. */
export interface TreeEntry {
  path: RawPath;
  /** `100644`, `100755`, `120000` (link) or `160000` (submodule). */
  mode: string;
  name: string;
  /** Whether git-lfs has the content, and the tree its pointer. */
  lfs: boolean;
}

/** The commit itself when it is there. Throws `invalid_input` when it is not. */
export async function requireCommit({ top }: Repository, commit: string): Promise<string> {
  if (!OBJECT_NAME.test(commit)) throw unknownCommit(commit);
  const { exitCode, stdout } = await git(["cat-file", "commit", commit], {
    cwd: top,
    answers: [1, 128],
  });
  if (exitCode !== 0) throw unknownCommit(commit);
  return stdout;
}

/** What a checkpoint says about itself. Throws `invalid_input` when it is gone, or a commit that is none. */
export async function requireCheckpoint(repository: Repository, commit: string): Promise<Note> {
  const note = decodeNote(await requireCommit(repository, commit));
  if (note) return note;
  throw new LoopError(
    "invalid_input",
    `The commit ${commit} is no checkpoint of a loop. Take one of its timeline.`,
  );
}

/** The files of the last commits that were asked for: a commit never changes. */
const asked = new WeakMap<Repository, Map<string, Promise<TreeEntry[]>>>();
const KEPT = 4;

/** The files of any commit but our own; of a checkpoint with what it says about them. */
export function checkpointEntries(
  repository: Repository,
  commit: string,
): Promise<readonly TreeEntry[]> {
  const kept = asked.get(repository) ?? new Map<string, Promise<TreeEntry[]>>();
  asked.set(repository, kept);
  const entries = kept.get(commit) ?? entriesOf(repository, commit);
  kept.delete(commit);
  kept.set(commit, entries);
  entries.catch(() => kept.delete(commit));
  for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
  return entries;
}

async function entriesOf(repository: Repository, commit: string): Promise<TreeEntry[]> {
  const note = decodeNote(await requireCommit(repository, commit));
  const entries = await treeEntries(repository, commit, new Set(note?.lfs));
  return note === null ? entries.filter(({ path }) => !isOwnPath(path)) : entries;
}

export async function treeEntries(
  { top }: Repository,
  commit: string,
  lfs: ReadonlySet<RawPath>,
): Promise<TreeEntry[]> {
  const { stdout } = await git(["ls-tree", "-r", "-z", "--full-tree", commit], { cwd: top });
  return records(stdout).map((record) => {
    const tab = record.indexOf("\t");
    const [mode = "", , name = ""] = record.slice(0, tab).split(" ");
    const path = record.slice(tab + 1);
    return { path, mode, name, lfs: lfs.has(path) };
  });
}

function unknownCommit(commit: string): LoopError {
  return new LoopError(
    "invalid_input",
    `This repository has no checkpoint ${commit.slice(0, 80) || "without a name"} (any more). Take one of the loop's timeline.`,
  );
}

const MOST = 1024 * 1024;

/** The first 1 MB of each file; for a link where it points. */
export async function readCheckpoint(
  { repository }: OpenRepository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const asked = new Set(paths);
  const found = (await checkpointEntries(repository, commit))
    .filter(({ mode }) => mode !== "160000")
    .map(({ path, name }) => ({ path: shownPath(repository, path), name }))
    .filter(({ path }) => asked.has(path));
  const sizes = await sizesOf(
    repository,
    found.map(({ name }) => name),
  );
  const there = found.flatMap(({ path, name }) => {
    const size = sizes.get(name);
    return size === undefined ? [] : [{ path, name, size }];
  });
  const contents = new Map<string, Uint8Array>();
  for (const group of batches(there.filter(({ size }) => size <= MOST))) {
    const read = await contentsOf(
      repository,
      group.map(({ name }) => name),
    );
    group.forEach(({ path }, index) => {
      contents.set(path, read[index] ?? Buffer.alloc(0));
    });
  }
  for (const { path, name } of there.filter(({ size }) => size > MOST)) {
    const { stdout } = await git(["cat-file", "blob", name], { cwd: repository.top, most: MOST });
    contents.set(path, Buffer.from(stdout, "latin1"));
  }
  return contents;
}
