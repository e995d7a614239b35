import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { LoopError } from "@ccw-loop/core";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The agent's own files and folders as absolute paths; one that ends with `/` is a folder to be made. The disk is not looked
 * at. Throws `agent_misconfigured` for what is no place.
 */
export function homePaths(homes: readonly string[], env: Environment): string[] {
  return homes.flatMap((home) => {
    // One with a variable that is not set has no place.
    const [path] = home.split("|").flatMap((word) => pathOf(word, env));
    return path === undefined ? [] : path.replace(/\/*$/, home.endsWith("/") ? "/" : "");
  });
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
