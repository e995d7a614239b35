import { isDeepStrictEqual } from "node:util";
import type { StoredCheckpoint } from "@ccw-loop/core";
import { isGitRefusal } from "../git/errors.ts";
import type { ObjectReader } from "../git/object-reader.ts";
import { withQuarantine } from "../git/object-writer.ts";
import { commitOf, headCommit, type Repository, shownPath, zeroName } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { keptTree, storeTree } from "../measure/kept-tree.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { orAgain } from "../measure/working-tree.ts";
import { commitText, treeOfCommit } from "./commit-object.ts";
import { requireCheckpoint } from "./entries.ts";
import { decodeNote, encodeNote, type Note } from "./note.ts";
import { checkpointRef, numberOf, refsOf } from "./refs.ts";

/** What is kept, and as what. */
interface CheckpointOptions {
  id: string;
  n: number;
  message: string;
  /** The checkpoint before; the first one of number `n - 1` by default. */
  after?: string | undefined;
  /** The tree that was named since anything ran. */
  looked?: string | undefined;
}

/**
 * Keeps the files as a commit on top of HEAD and of the checkpoint before, behind a ref of its own:
 * `refs/ccw-loop/{id}/{n}`, or the next free variant of it.
 */
export async function checkpoint(
  opened: OpenRepository,
  { id, n, message, after, looked }: CheckpointOptions,
): Promise<StoredCheckpoint> {
  const { repository } = opened;
  checkpointRef(id, n);
  const before = after ?? (n > 0 ? checkpointRef(id, n - 1) : undefined);
  const kept = await orAgain((again) =>
    keep(opened, { before, message, looked: again ? undefined : looked }),
  );
  await makeRef(repository, id, n, kept.commit);
  const skipped = [...kept.leftOut].map(([path, reason]) => ({
    path: shownPath(repository, path),
    reason,
  }));
  return { commit: kept.commit, tree: kept.tree, skipped };
}

/** Stores the commit with all that it needs. */
async function keep(
  opened: OpenRepository,
  what: { before: string | undefined; message: string; looked: string | undefined },
) {
  const { repository, measure, without } = opened;
  const { before, message, looked } = what;
  const head = await headCommit(repository);
  const earlier = before === undefined ? null : await commitOf(repository, before);
  const found = measure.lookedAt(looked) ?? (await measure.look(without));
  const kept = await keptTree(opened, found);
  const { tree, leftOut } = found;
  const lfs = [...kept.pointers.keys()];
  const note: Note = { head, tree, leftOut: [...leftOut.keys()], lfs };
  const same = earlier !== null && (await holds(repository.reader, earlier, kept.name, note));
  if (same) return { commit: earlier, tree, leftOut };
  const parents = [...new Set([head, earlier])].filter((name) => name !== null);
  const trees = await Promise.all(parents.map((name) => treeOfCommit(repository.reader, name)));
  const known = trees.filter((name) => name !== null);
  const commit = await withQuarantine(repository, async (writer) => {
    await storeTree(opened, writer, { kept, found, known });
    return writer.write("commit", commitText(kept.name, parents, encodeNote(message, note)));
  });
  return { commit, tree, leftOut };
}

/** Whether a commit keeps the very same: it gets another ref then. */
async function holds(
  reader: ObjectReader,
  commit: string,
  tree: string,
  note: Note,
): Promise<boolean> {
  const text = (await reader.find(commit, "commit"))?.toString("latin1") ?? "";
  return text.startsWith(`tree ${tree}\n`) && isDeepStrictEqual(decodeNote(text), note);
}

/** How often refs are looked at again because another process changed them meanwhile. */
const TRIES = 10;

/** As for every ref of ours: nobody's reflog. */
const CONFIG = { "core.logAllRefUpdates": "false" };

/**
 * Makes a ref for a commit that is number `n` of a loop. Refs are made and dropped, but never moved: whoever recorded
 * a commit behind one can rely on it, also when the process that makes another one was suspended since it looked.
 */
export async function makeRef(
  repository: Repository,
  id: string,
  n: number,
  commit: string,
): Promise<void> {
  const { top: cwd } = repository;
  let variant = 0;
  for (let tries = 1; ; tries += 1) {
    const ref = checkpointRef(id, n, variant);
    try {
      const made = ["update-ref", "--no-deref", ref, commit, zeroName(repository)];
      await git(made, { cwd, config: CONFIG });
      return;
    } catch (error) {
      const taken = await variantsOf(repository, id, n);
      if (!taken.includes(variant) || tries >= TRIES) throw error;
      variant = Math.max(...taken) + 1;
    }
  }
}

/** Keeps a checkpoint of another loop, with all that it continues, also as number `n` of this one. */
export async function adopt(
  { repository }: OpenRepository,
  id: string,
  n: number,
  commit: string,
): Promise<void> {
  await requireCheckpoint(repository, commit);
  await makeRef(repository, id, n, commit);
}

/**
 * Drops the refs of a loop, all or none: without a transaction command the whole input is one. It names what every ref
 * has been, and fails when that is not so any more; then they are looked at again.
 */
export async function forget({ repository }: OpenRepository, id: string): Promise<void> {
  const { top: cwd } = repository;
  for (let tries = 1; ; tries += 1) {
    const refs = await refsBelow(repository, refsOf(id));
    if (refs.length === 0) return;
    const input = refs.flatMap(({ ref, commit }) => [`delete ${ref}`, commit]);
    try {
      await git(["update-ref", "--no-deref", "-z", "--stdin"], { cwd, config: CONFIG, input });
      return;
    } catch (error) {
      if (tries >= TRIES || !isGitRefusal(error)) throw error;
    }
  }
}

async function variantsOf(repository: Repository, id: string, n: number): Promise<number[]> {
  const refs = await refsBelow(repository, refsOf(id));
  const numbers = refs.map(({ ref }) => numberOf(id, ref));
  return numbers.flatMap((found) => (found?.n === n ? [found.variant] : []));
}

async function refsBelow({ top }: Repository, prefix: string) {
  const { stdout } = await git(["for-each-ref", "--format=%(objectname) %(refname)", prefix], {
    cwd: top,
  });
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const space = line.indexOf(" ");
      return { commit: line.slice(0, space), ref: line.slice(space + 1) };
    });
}
