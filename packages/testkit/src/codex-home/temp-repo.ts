import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A folder with a git repository that holds the given files in one commit. */
export interface TempRepo extends AsyncDisposable {
  readonly path: string;
  /** Runs git in it and answers what it printed. */
  git(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Makes a repository for one test. Reads no git configuration of this machine. */
export async function tempRepo(files: Readonly<Record<string, string>> = {}): Promise<TempRepo> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "ccw-repo-")));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = async (...args: string[]) => (await run("git", args, { cwd: path, env })).stdout;
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Test");
  await git("config", "user.email", "test@example.invalid");
  await git("add", "--all");
  await git("commit", "--quiet", "--allow-empty", "--message=Start");
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 10 });
  return { path, git, remove, [Symbol.asyncDispose]: remove };
}
