import { isGitRefusal } from "../failure.ts";
import type { OpenRepository } from "../opened.ts";
import { type Repository, zeroName } from "../repository.ts";
import { git } from "../run-git.ts";
import { checkpointRef, numberOf, refsOf } from "./refs.ts";

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
