import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
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
  await writeFiles(path, files);
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Test");
  await git("config", "user.email", "test@example.invalid");
  await git("add", "--all");
  await git("commit", "--quiet", "--allow-empty", "--message=Start");
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 10 });
  return { path, git, remove, [Symbol.asyncDispose]: remove };
}

/** Writes files below a folder, by their paths with `/`. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** A small project in a temporary folder. */
export interface TempProject {
  dir: string;
  /** The content of a file; undefined while it does not exist. */
  read(path: string): Promise<string | undefined>;
  remove(): Promise<void>;
}

/** A folder that holds these files, by their paths with `/`. */
export async function tempProject(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const dir = await mkdtemp(join(tmpdir(), "ccw-loop-project-"));
  await writeFiles(dir, files);
  return {
    dir,
    read: (path) => readFile(join(dir, path), "utf8").catch(() => undefined),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The variable that carries the model server's key; its value does not matter. */
const KEY_NAME = "CCW_MODEL_SERVER_KEY";

export interface OfflineHomeOptions {
  /** A name that Codex knows, so that it offers its classic tools. Default `gpt-5.5`. */
  model?: string;
  /** How often Codex begins a stream anew, never unless given, and how long it waits for the next piece of an answer. */
  streamRetries?: number;
  streamIdleMs?: number;
  /** More lines for config.toml. */
  config?: string;
}

/** A fresh home of the real Codex that only talks to a model server on this machine. */
export interface OfflineHome extends AsyncDisposable {
  /** CODEX_HOME. */
  readonly path: string;
  readonly configFile: string;
  /** What Codex needs in its environment besides PATH; a HOME without start-up files of a shell. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/**
 * Makes a Codex home for tests. Its settings keep Codex from looking up any name: no update check, no
 * analytics, no plugins, no apps. TMPDIR lies beside it, because Codex warns about a home below TMPDIR. The
 * sandbox has no part of /tmp besides: killed at a bad moment it leaves folders there.
 */
export async function offlineCodexHome(
  baseUrl: string,
  options: OfflineHomeOptions = {},
): Promise<OfflineHome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-codex-")));
  const path = join(folder, "home");
  const HOME = join(folder, "user");
  const TMPDIR = join(folder, "tmp");
  for (const made of [path, HOME, TMPDIR]) await mkdir(made);
  const configFile = join(path, "config.toml");
  await writeFile(configFile, quietConfig(baseUrl, options));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  return {
    path,
    configFile,
    env: { CODEX_HOME: path, HOME, TMPDIR, [KEY_NAME]: "offline" },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

function quietConfig(baseUrl: string, options: OfflineHomeOptions): string {
  const { model = "gpt-5.5", streamRetries = 0, streamIdleMs = 30_000 } = options;
  return `model = ${JSON.stringify(model)}
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = ${JSON.stringify(baseUrl)}
wire_api = "responses"
env_key = "${KEY_NAME}"
request_max_retries = 0
stream_max_retries = ${streamRetries}
stream_idle_timeout_ms = ${streamIdleMs}

[sandbox_workspace_write]
exclude_slash_tmp = true

[analytics]
enabled = false

[features]
plugins = false
apps = false
remote_plugin = false
${options.config ?? ""}`;
}
