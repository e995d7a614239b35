import type { StoredCheckpoint } from "@ccw-loop/core";
import { isGitRefusal } from "../git/errors.ts";
import { withQuarantine } from "../git/index.ts";
import { writeCommit } from "../git/objects.ts";
import {
  type ObjectStoreEnv,
  type OpenRepository,
  type Repository,
  shownPath,
  zeroName,
} from "../git/repository.ts";
import { git } from "../git/run.ts";
import { withMeasuredTree } from "../snapshot/snapshot.ts";
import { encodeNote } from "./note.ts";
import { rawTree } from "./raw-tree.ts";
import { checkpointRef, numberOf, refsOf } from "./refs.ts";

const OUR_NAME = "CCW Loop";
const OUR_EMAIL = "ccw-loop@localhost";

/** Who makes commits where the user has no name. */
export const OURSELVES: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: OUR_NAME,
  GIT_AUTHOR_EMAIL: OUR_EMAIL,
  GIT_COMMITTER_NAME: OUR_NAME,
  GIT_COMMITTER_EMAIL: OUR_EMAIL,
};

/** What is kept, and as what. */
interface CheckpointOptions {
  id: string;
  n: number;
  message: string;
  /** The checkpoint before; the first one of number `n - 1` by default. */
  after?: string | undefined;
}

/**
 * Keeps the files as a commit on top of HEAD and of the checkpoint before, behind a ref of its own:
 * `refs/ccw-loop/{id}/{n}`, or the next free variant of it.
 */
export async function checkpoint(
  opened: OpenRepository,
  { id, n, message, after }: CheckpointOptions,
): Promise<StoredCheckpoint> {
  const { repository, names } = opened;
  checkpointRef(id, n);
  const before = after ?? (n > 0 ? checkpointRef(id, n - 1) : undefined);
  const { commit, tree, leftOut } = await withQuarantine(repository, async (into) => {
    const [[head = null, earlier = null], kept] = await Promise.all([
      commitsOf(repository, ["HEAD", ...(before === undefined ? [] : [before])]),
      writeTrees(opened, into),
    ]);
    const note = { head, ...kept, leftOut: [...kept.leftOut.keys()] };
    const parents = [...new Set([head, earlier])].filter((name) => name !== null);
    const env = { ...OURSELVES, ...into };
    const text = encodeNote(message, note);
    return { commit: await writeCommit(repository, kept.raw, parents, text, env), ...kept };
  }).catch((error: unknown) => {
    names.forget();
    throw error;
  });
  await makeRef(repository, id, n, commit);
  const skipped = [...leftOut].map(([path, reason]) => ({
    path: shownPath(repository, path),
    reason,
  }));
  return { commit, tree, skipped };
}

async function writeTrees(opened: OpenRepository, into: ObjectStoreEnv) {
  return withMeasuredTree(opened, "bytes", into, async (found) => {
    const { name: raw, lfs } = await rawTree(found, opened.names, into).catch((error: unknown) => {
      opened.names.forget();
      throw error;
    });
    return { raw, lfs: [...lfs], tree: found.tree, leftOut: found.status.leftOut };
  });
}

/** The commits behind refs, in their order; null for a ref that is not there. */
async function commitsOf({ top }: Repository, refs: string[]): Promise<(string | null)[]> {
  const { stdout } = await git(["cat-file", "--batch-check"], {
    cwd: top,
    input: refs.map((ref) => `${ref}^{commit}`),
    ended: "\n",
  });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? null);
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

/** Drops the refs of a loop, all or none. */
export async function forget({ repository }: OpenRepository, id: string): Promise<void> {
  await updateRefs(repository, async () => {
    const refs = await refsBelow(repository, refsOf(id));
    return refs.map(({ ref, commit }) => [`delete ${ref}`, commit]);
  });
}

/** Gives the checkpoints of a loop up to `n` to another loop too, all or none. */
export async function adopt(
  { repository }: OpenRepository,
  from: string,
  to: string,
  n: number,
): Promise<void> {
  await updateRefs(repository, async () => {
    const theirs = await refsBelow(repository, refsOf(from));
    const ours = await refsBelow(repository, refsOf(to));
    const known = new Set(ours.map(({ commit }) => commit));
    const taken = new Set(ours.map(({ ref }) => ref));
    return theirs.flatMap(({ ref, commit }) => {
      const number = numberOf(from, ref);
      if (number === null || number.n > n || known.has(commit)) return [];
      const name = freeName(taken, to, number.n);
      taken.add(name);
      return [[`create ${name}`, commit]];
    });
  });
}

function freeName(taken: ReadonlySet<string>, id: string, n: number): string {
  for (let variant = 0; ; variant += 1) {
    const ref = checkpointRef(id, n, variant);
    if (!taken.has(ref)) return ref;
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

/**
 * One transaction: without a transaction command the whole input is one. It names what every ref has been, so that it
 * fails when that is not so any more; then it is decided again.
 */
async function updateRefs(
  { top }: Repository,
  decide: () => Promise<readonly string[][]>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const commands = await decide();
    if (commands.length === 0) return;
    try {
      await git(["update-ref", "--no-deref", "-z", "--stdin"], {
        cwd: top,
        config: CONFIG,
        input: commands.flat(),
      });
      return;
    } catch (error) {
      if (tries >= TRIES || !isGitRefusal(error)) throw error;
    }
  }
}
