import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import type { CodexOptions } from "../options.ts";

/** Codex's environment for these options. Reads the user's Codex settings for names only; writes nothing. */
export async function environmentFor({
  env = process.env,
  passEnv = [],
}: Pick<CodexOptions, "env" | "passEnv">): Promise<Record<string, string>> {
  if (env.CODEX_HOME && !(await isFolder(env.CODEX_HOME))) {
    throw new LoopError(
      "agent_misconfigured",
      `CODEX_HOME names ${env.CODEX_HOME}, which is no folder. Make it, or unset CODEX_HOME.`,
    );
  }
  const home = env.CODEX_HOME || join(env.HOME ?? homedir(), ".codex");
  const config = await readFile(join(home, "config.toml"), "utf8").catch(() => "");
  return codexEnvironment(env, [...environmentNamesIn(config), ...passEnv]);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * Codex gets an allow-list, not our environment: a variable that is not named here, by the user's own Codex
 * settings or by `passEnv` stays with us. What Codex gets, the commands of the agent can read.
 */
const ALLOWED: readonly string[] = [
  ...["PATH", "HOME", "USER", "SHELL", "TERM", "TMPDIR", "LANG", "CODEX_HOME"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "CODEX_CA_CERTIFICATE"],
];

/** Ours alone, whoever asks for them: tokens of the control plane, the scope of a running loop. */
const OURS = "CCW_LOOP_";
/** … but for the project that is being driven, by which the command line knows who calls it. */
const DRIVES = "CCW_LOOP_DRIVES";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of Codex: the allowed variables of `source` and those in `names`. */
export function codexEnvironment(
  source: Environment,
  names: readonly string[],
): Record<string, string> {
  const allowed = Object.entries(source).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (name === DRIVES) return value !== undefined;
    if (value === undefined || name.startsWith(OURS)) return false;
    return ALLOWED.includes(name.toUpperCase()) || name.startsWith("LC_") || names.includes(name);
  });
  return Object.fromEntries(allowed);
}

const ONE_NAME = /\b(?:env_key|bearer_token_env_var)\s*=\s*["'](\w+)["']/g;
const MANY_NAMES = /\b(?:env_vars\s*=\s*\[([^\]]*)\]|env_http_headers\s*=\s*\{([^}]*)\})/g;
const QUOTED_VALUE = /["'](\w+)["'](?!\s*=)/g;

/**
 * The variables that a Codex config.toml names: keys of model providers (`env_key`, `env_http_headers`) and
 * of MCP servers (`bearer_token_env_var`, `env_vars`). Any other spelling needs `passEnv`.
 */
export function environmentNamesIn(config: string): string[] {
  const single = [...config.matchAll(ONE_NAME)].map((match) => match[1]);
  const listed = [...config.matchAll(MANY_NAMES)].flatMap((match) =>
    [...(match[1] ?? match[2] ?? "").matchAll(QUOTED_VALUE)].map((value) => value[1]),
  );
  return [...new Set([...single, ...listed])].filter((name) => name !== undefined);
}
