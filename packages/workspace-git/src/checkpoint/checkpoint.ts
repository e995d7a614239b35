import { isDeepStrictEqual } from "node:util";
import type { StoredCheckpoint } from "@ccw-loop/core";
import { isGitRefusal } from "../git/errors.ts";
import { withQuarantine } from "../git/object-writer.ts";
import { headCommit, type Repository, shownPath, zeroName } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { TextAnswer } from "../git/session.ts";
import { keptTree, storeTree } from "../measure/kept-tree.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { orAgain } from "../measure/working-tree.ts";
import { commitAt, commitText } from "./commit-object.ts";
import { requireCheckpoint } from "./entries.ts";
import { encodeNote, type Note } from "./note.ts";
import { checkpointRef, numberOf, refsOf } from "./refs.ts";

/** What is kept, and as what. */
interface CheckpointOptions {
  id: string;
  n: number;
  message: string;
  /** The commit of the checkpoint before. */
  after?: string | undefined;
  /** The tree that was named since anything ran. */
  looked?: string | undefined;
}

/**
 * Keeps the files as a commit on top of HEAD and of the checkpoint before, behind a ref of its own:
 * `refs/ccw-loop/{id}/{n}`, or the next free variant of it. Where nothing changed it is the commit before, with its ref.
 */
export async function checkpoint(
  opened: OpenRepository,
  { id, n, message, after, looked }: CheckpointOptions,
): Promise<StoredCheckpoint> {
  const { repository } = opened;
  checkpointRef(id, n);
  const kept = await orAgain((again) =>
    keep(opened, { after, message, looked: again ? undefined : looked }),
  );
  if (kept.commit !== after) await makeRef(opened, id, n, kept.commit);
  const skipped = [...kept.leftOut].map(([path, reason]) => ({
    path: shownPath(repository, path),
    reason,
  }));
  return { commit: kept.commit, tree: kept.tree, skipped };
}

/** Stores the commit with all that it needs. */
async function keep(
  opened: OpenRepository,
  { after, message, looked }: Pick<CheckpointOptions, "after" | "message" | "looked">,
) {
  const { repository, measure, without } = opened;
  const head = await headCommit(repository);
  const before = after === undefined ? null : await commitAt(repository, after);
  const found = measure.lookedAt(looked) ?? (await measure.look(without));
  const kept = await keptTree(opened, found);
  const { tree, leftOut } = found;
  const lfs = [...kept.pointers.keys()];
  const note: Note = { head, tree, leftOut: [...leftOut.keys()], lfs };
  const isSame = before?.tree === kept.name && isDeepStrictEqual(before.note, note);
  if (after !== undefined && isSame) return { commit: after, tree, leftOut };
  const parents = [...new Set([head, before && after])].filter((name) => typeof name === "string");
  const commits = await Promise.all(parents.map((name) => commitAt(repository, name)));
  const known = commits.flatMap((one) => one?.tree ?? []);
  const commit = await withQuarantine(repository, async (writer) => {
    await storeTree(opened, writer, { kept, found, known });
    return writer.write("commit", commitText(kept.name, parents, encodeNote(message, note)));
  });
  return { commit, tree, leftOut };
}

/** How often refs are looked at again because another process changed them meanwhile. */
const TRIES = 10;

/** As for every ref of ours: nobody's reflog. */
const CONFIG = { "core.logAllRefUpdates": "false" };

const MAKE = ["update-ref", "--no-deref", "--stdin"];

/**
 * Makes a ref for a commit that is number `n` of a loop. Refs are made and dropped, but never moved: whoever recorded
 * a commit behind one can rely on it, also when the process that makes another one was suspended since it looked. A name
 * that another git has locked is passed over: one that was killed leaves its lock for good.
 */
async function makeRef(
  { repository, sessions }: OpenRepository,
  id: string,
  n: number,
  commit: string,
): Promise<void> {
  const { top: cwd } = repository;
  let variant = 0;
  for (let tries = 1; ; tries += 1) {
    const ref = checkpointRef(id, n, variant);
    const question = `start\ncreate ${ref} ${commit}\ncommit\n`;
    const answer = new TextAnswer("commit: ok\n");
    const isMade = await sessions.ask(MAKE, { config: CONFIG }, question, answer).then(
      () => true,
      () => false,
    );
    if (isMade) return;
    try {
      // Also for a git before 2.30, which makes one transaction only, and for a process that was ended.
      const made = ["update-ref", "--no-deref", ref, commit, zeroName(repository)];
      await git(made, { cwd, config: CONFIG });
      return;
    } catch (error) {
      if (tries >= TRIES || !isGitRefusal(error)) throw error;
      variant = Math.max(variant, ...(await variantsOf(repository, id, n))) + 1;
    }
  }
}

/** Keeps a checkpoint of another loop, with all that it continues, also as number `n` of this one. */
export async function adopt(
  opened: OpenRepository,
  id: string,
  n: number,
  commit: string,
): Promise<void> {
  await requireCheckpoint(opened.repository, commit);
  await makeRef(opened, id, n, commit);
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
