import type { Opened } from "../opened.ts";
import type { Repository } from "../repository.ts";
import { git } from "../run-git.ts";
import { checkpointRef, refsOf } from "./refs.ts";

/** Drops the refs of a loop, all or none. */
export async function forget({ repository }: Opened, id: string): Promise<void> {
  const refs = await refsBelow(repository, refsOf(id));
  await change(
    repository,
    refs.map(({ ref }) => [`delete ${ref}`, ""]),
  );
}

/** Gives the checkpoints of a loop up to `n` to another loop too, all or none. */
export async function adopt(
  { repository }: Opened,
  from: string,
  to: string,
  n: number,
): Promise<void> {
  const refs = await refsBelow(repository, refsOf(from));
  const numbered = refs
    .map(({ ref, commit }) => ({ number: Number(ref.slice(refsOf(from).length)), commit }))
    .filter(({ number }) => number <= n);
  await change(
    repository,
    numbered.map(({ number, commit }) => [`update ${checkpointRef(to, number)}`, commit, ""]),
  );
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

/** Without a transaction command the whole input is one. */
async function change({ top }: Repository, commands: readonly string[][]): Promise<void> {
  if (commands.length === 0) return;
  await git(["update-ref", "--no-deref", "-z", "--stdin"], {
    cwd: top,
    config: { "core.logAllRefUpdates": "false" },
    input: commands.flat(),
  });
}
