import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { place } from "./place.ts";

/** The user's own git, with nothing of this machine's configuration. */
export async function userGit(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: "1",
    // No folder of sample hooks.
    GIT_TEMPLATE_DIR: "",
    GIT_AUTHOR_NAME: "User",
    GIT_AUTHOR_EMAIL: "user@example.org",
    GIT_COMMITTER_NAME: "User",
    GIT_COMMITTER_EMAIL: "user@example.org",
  };
  const { stdout } = await promisify(execFile)("git", args, { cwd, env });
  return stdout;
}

/** A repository whose first commit ignores `node_modules`. */
export async function makeRepository(cwd: string): Promise<void> {
  await userGit(cwd, "init", "-q", "-b", "main");
  await writeFile(join(cwd, ".gitignore"), "node_modules\n");
  await userGit(cwd, "add", "-A");
  await userGit(cwd, "commit", "-q", "-m", "first");
}

/** A repository with these files in its first commit. */
export async function repositoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await place(files);
  await makeRepository(cwd);
  return cwd;
}
