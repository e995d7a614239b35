import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** No user of a machine has it: below are those of packages and people, above those that are made for containers. */
const ID = 59_000;
const NAME = "user";
const ACCOUNTS = ["/etc/passwd", "/etc/group"] as const;
const VARIABLES = ["USER", "LOGNAME"];

/** Options of bubblewrap for another user id, and a group id, than those of who runs the loop. Files keep their owners. */
export const OTHER_USER = ["--unshare-user", "--uid", `${ID}`, "--gid", `${ID}`];

/** Options that give that user a name, in variables and in files that are written into a folder: programs look up who runs them. */
export function namedUser(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const home = process.env.HOME ?? "/";
  const set = VARIABLES.filter((name) => process.env[name] !== undefined);
  const lines = [`${NAME}:x:${ID}:${ID}::${home}:/bin/sh`, `${NAME}:x:${ID}:`];
  const files = ACCOUNTS.flatMap((path, n) => {
    if (!existsSync(path)) return [];
    const others = readFileSync(path, "utf8").split("\n");
    const file = join(folder, path.slice("/etc/".length));
    const own = others.filter((line) => line !== "" && !line.startsWith(`${NAME}:`));
    writeFileSync(file, `${[...own, lines[n]].join("\n")}\n`);
    return ["--ro-bind", file, path];
  });
  return [...files, ...set.flatMap((name) => ["--setenv", name, NAME])];
}
