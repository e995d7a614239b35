import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { agentEnvironment } from "@ccw-loop/processes/agent-policy";
import type { CodexOptions } from "../options.ts";

/** What Codex itself looks at. */
const OWN_NAMES = ["CODEX_HOME", "CODEX_CA_CERTIFICATE"];

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
  return agentEnvironment(env, [...OWN_NAMES, ...environmentNamesIn(config), ...passEnv]);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
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
