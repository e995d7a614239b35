import { type FileChange, isLoopError, LoopError } from "@ccw-loop/core";
import { requireTreeOf } from "../checkpoint/commit-object.ts";
import { isOwnPath } from "../folders.ts";
import { ObjectWriter } from "../git/object-writer.ts";
import { OBJECT_NAME, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { editTree, NOTHING, parseTree, type TreeEdit, treeDifferences } from "../git/trees.ts";
import type { RawPath } from "../raw-path.ts";
import type { OpenRepository } from "./open-repository.ts";

/** Between two trees that were measured. Throws `invalid_input` for a name that is none of theirs. */
export async function changes(
  { repository }: OpenRepository,
  from: string,
  to: string,
): Promise<FileChange[]> {
  const found = await withTrees([from, to], () => treeDifferences(repository, from, to));
  return found.map(({ path, kind }) => ({ path: shownPath(repository, path), kind }));
}

/** `onto` with what differs between two trees done to it. Throws `invalid_input` as `changes`. */
export function withChanges(
  { repository, objects }: OpenRepository,
  onto: string,
  from: string,
  to: string,
): Promise<string> {
  return withTrees([onto, from, to], async () => {
    const found = await treeDifferences(repository, from, to);
    const edits = found.map(({ path, kind, after }): [RawPath, TreeEdit] => [
      path,
      kind === "deleted" ? null : after,
    ]);
    const writer = new ObjectWriter(objects, repository.hash);
    return editTree(repository, writer, onto, new Map(edits));
  });
}

async function withTrees<T>(names: readonly string[], use: () => Promise<T>): Promise<T> {
  for (const name of names) {
    if (!OBJECT_NAME.test(name)) throw unknownTree(name.slice(0, 80));
  }
  try {
    return await use();
  } catch (error) {
    if (isLoopError(error, "workspace_unavailable") && error.details.lost === true) {
      throw unknownTree(names.join(" or "));
    }
    throw error;
  }
}

function unknownTree(name: string): LoopError {
  return new LoopError("invalid_input", `Unknown tree ${name}. Take a new snapshot.`);
}

/** So far back commits are looked at. */
const LOOKED_AT = 200;

/**
 * The newest commit behind HEAD whose content is a tree that was measured: its own tree, or that without our folder, which
 * is no part of what is measured. Null for none.
 */
export async function commitWithTree(
  { repository, objects }: OpenRepository,
  tree: string,
): Promise<string | null> {
  const { reader, hash, top: cwd } = repository;
  const args = ["rev-list", `--max-count=${LOOKED_AT}`, "HEAD", "--"];
  const { stdout } = await git(args, { cwd, answers: [128] });
  const writer = new ObjectWriter(objects, hash);
  for (const commit of stdout.split("\n").filter((line) => line !== "")) {
    const own = await requireTreeOf(repository, commit);
    if (own === tree) return commit;
    const lines = parseTree(await reader.read(own, "tree"), hash);
    const ours = lines.filter(({ name }) => isOwnPath(name));
    if (ours.length === 0) continue;
    const edits = new Map(ours.map(({ name }): [RawPath, TreeEdit] => [name, NOTHING]));
    if ((await editTree(repository, writer, own, edits)) === tree) return commit;
  }
  return null;
}

/** Files that are part of the content although nobody added them; repositories inside are none. */
export async function untracked({ repository, measure }: OpenRepository): Promise<string[]> {
  return (await measure.untracked()).map((path) => shownPath(repository, path));
}
