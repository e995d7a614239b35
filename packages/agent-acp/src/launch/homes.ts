import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { LoopError } from "@ccw-loop/core";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where the agent's own files and folders lie, as absolute paths; nothing is looked for or made. Throws `agent_misconfigured`
 * for what is no place.
 */
export function homePaths(homes: readonly string[], env: Environment): string[] {
  return homes.flatMap((home) => placeOf(home, env)?.path ?? []);
}

/**
 * Makes the folders that the agent would make itself when it is first started: contained it can write only to what is
 * there.
 */
export function makeHomes(homes: readonly string[], env: Environment): void {
  for (const home of homes) {
    const place = placeOf(home, env);
    if (!place?.isFolder) continue;
    try {
      mkdirSync(place.path, { recursive: true, mode: 0o700 });
    } catch {
      // Where we cannot make it, the agent cannot.
    }
  }
}

/** The first of its words that has a place: one with a variable that is not set has none. */
function placeOf(home: string, env: Environment): { path: string; isFolder: boolean } | undefined {
  const [path] = home.split("|").flatMap((word) => pathOf(word, env));
  return path === undefined
    ? undefined
    : { path: path.replace(/\/+$/, ""), isFolder: home.endsWith("/") };
}

/** `/mine`, `~/.mine` and `$MINE_HOME/data`; nothing where the variable is not set. */
function pathOf(word: string, env: Environment): string[] {
  const [isHome, tilde, name, rest = ""] = /^(?:(~)|\$(\w+))?(\/.*)?$/.exec(word) ?? [];
  if (isHome === undefined || isHome === "") {
    const message = `${JSON.stringify(word)} in homes names no file or folder of an agent. Begin with / or ~/ or the name of a variable: $NAME/`;
    throw new LoopError("agent_misconfigured", message);
  }
  const named = name === undefined ? "/" : env[name];
  const base = tilde === undefined ? named : (env.HOME ?? homedir());
  return base === undefined || !isAbsolute(base) ? [] : [join(base, rest)];
}
