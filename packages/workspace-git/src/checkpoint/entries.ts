import { LoopError } from "@ccw-loop/core";
import { isOwnPath } from "../folders.ts";
import { type Repository, shownPath } from "../git/repository.ts";
import { filesOf, type TreeFile } from "../git/trees.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import type { RawPath } from "../raw-path.ts";
import { type Commit, commitAt, requireTreeOf } from "./commit-object.ts";
import type { Note } from "./note.ts";

/** A file, link or submodule of a kept tree. */
export interface TreeEntry extends TreeFile {
  /** Whether git-lfs has the content, and the tree its pointer. */
  lfs: boolean;
}

/** As `commitAt`. Throws `invalid_input` where there is no such commit. */
export async function requireCommit(repository: Repository, commit: string): Promise<Commit> {
  const found = await commitAt(repository, commit);
  if (found === null) throw unknownCommit(commit);
  return found;
}

/** What a checkpoint says about itself. Throws `invalid_input` when it is gone, or a commit that is none. */
export async function requireCheckpoint(repository: Repository, commit: string): Promise<Note> {
  const { note } = await requireCommit(repository, commit);
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
  const { note } = await requireCommit(repository, commit);
  const entries = await treeEntries(repository, commit, new Set(note?.lfs));
  return note === null ? entries.filter(({ path }) => !isOwnPath(path)) : entries;
}

export async function treeEntries(
  repository: Repository,
  commit: string,
  lfs: ReadonlySet<RawPath>,
): Promise<TreeEntry[]> {
  const files = await filesOf(repository, await requireTreeOf(repository, commit));
  return files.map((file) => ({ ...file, lfs: lfs.has(file.path) }));
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
  const contents = new Map<string, Uint8Array>();
  for (const { path, mode, name } of await checkpointEntries(repository, commit)) {
    const shown = shownPath(repository, path);
    if (mode === "160000" || !asked.has(shown)) continue;
    const parts: Buffer[] = [];
    let left = MOST;
    const found = await repository.reader.findInto(name, "blob", async (part) => {
      if (left > 0) parts.push(part.subarray(0, left));
      left -= part.length;
    });
    if (found) contents.set(shown, Buffer.concat(parts));
  }
  return contents;
}
