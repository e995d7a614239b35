import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import type { CodexOptions } from "../options.ts";
import { codexEnvironment, environmentNamesIn } from "./environment.ts";

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
