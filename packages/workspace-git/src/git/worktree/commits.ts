import type { Repository } from "../repository.ts";
import { git } from "../run-git.ts";

/** The commit behind a ref; null when it is not there. */
export async function commitOf({ top }: Repository, ref: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { exitCode, stdout } = await git(args, { cwd: top, answers: [1, 128] });
  return exitCode === 0 ? stdout.trim() : null;
}

export async function treeOf({ top }: Repository, commit: string): Promise<string> {
  return (await git(["rev-parse", `${commit}^{tree}`], { cwd: top })).stdout.trim();
}

/** Whether a tag or a branch that is not a loop's has the commit. */
export async function isKeptElsewhere({ top }: Repository, commit: string): Promise<boolean> {
  const others = ["--not", "--exclude=ccw-loop/*", "--branches", "--tags", "--remotes"];
  const { stdout } = await git(["rev-list", "--max-count=1", commit, ...others], { cwd: top });
  return stdout === "";
}
