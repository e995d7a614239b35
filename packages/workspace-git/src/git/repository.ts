import { LoopError } from "@ccw-loop/core";
import { type GitAnswer, GitMissing, git } from "./run-git.ts";

/** A repository with a working tree, as seen from one folder in it. All paths are absolute. */
export interface Repository {
  cwd: string;
  top: string;
  /** From the top to `cwd`, with `/` at its end; empty at the top. */
  prefix: string;
  index: string;
  objects: string;
  hash: "sha1" | "sha256";
}

const NO_REPOSITORY = /not a git repository|must be run in a work tree/;

/**
 * The repository around `cwd`; null when there is none, when git is not installed, or when the repository
 * ignores this very folder. Throws `unsafe_path` when git refuses to trust it.
 */
export async function findRepository(cwd: string): Promise<Repository | null> {
  const ask = async (...args: string[]) => {
    const { stdout } = await git(["rev-parse", "--path-format=absolute", ...args], { cwd });
    return Buffer.from(stdout, "latin1").toString("utf8").replace(/\n$/, "");
  };
  try {
    // One by one: the answers are lines, and a path may hold a line end.
    const [top, prefix, index, objects, hash] = await Promise.all([
      ask("--show-toplevel"),
      ask("--show-prefix"),
      ask("--git-path", "index"),
      ask("--git-path", "objects"),
      ask("--show-object-format"),
    ]);
    if (prefix !== "" && (await isIgnored(cwd))) return null;
    return { cwd, top, prefix, index, objects, hash: hash === "sha256" ? "sha256" : "sha1" };
  } catch (error) {
    return refused(error, cwd);
  }
}

async function isIgnored(cwd: string): Promise<boolean> {
  const answer: GitAnswer = await git(["check-ignore", "-q", "."], { cwd, answers: [1] });
  return answer.exitCode === 0;
}

function refused(error: unknown, cwd: string): null {
  if (error instanceof GitMissing) return null;
  if (!(error instanceof LoopError)) throw error;
  const told = String(error.details.stderr ?? "");
  if (NO_REPOSITORY.test(told)) return null;
  if (told.includes("dubious ownership")) {
    throw new LoopError(
      "unsafe_path",
      `git does not trust the repository of ${cwd}: it belongs to another user. See safe.directory in git help config.`,
      { cause: error },
    );
  }
  throw error;
}
