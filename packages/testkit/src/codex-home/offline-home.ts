import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variable that carries the model server's key; its value does not matter. */
const KEY_NAME = "CCW_MODEL_SERVER_KEY";

export interface OfflineHomeOptions {
  /** A name that Codex knows, so that it offers its classic tools. Default `gpt-5.5`. */
  model?: string;
  /** Codex's own retries, none unless given, and how long it waits for the next piece of an answer. */
  requestRetries?: number;
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
  const {
    model = "gpt-5.5",
    requestRetries = 0,
    streamRetries = 0,
    streamIdleMs = 30_000,
  } = options;
  return `model = ${JSON.stringify(model)}
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = ${JSON.stringify(baseUrl)}
wire_api = "responses"
env_key = "${KEY_NAME}"
request_max_retries = ${requestRetries}
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
