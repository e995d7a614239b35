import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname } from "node:path";

/**
 * Cuts out of a text where on this machine a project and its user's home lie. What is left (`…/shop/.workflow`, also of
 * the worktrees beside it) tells a person who knows the machine where to look.
 */
export function pathRedactor(root: string | undefined): (text: string) => string {
  const home = homedir();
  const known = [
    ...(root === undefined
      ? []
      : [root, realPath(root)].map((path) => [path, `…/${basename(root)}`])),
    ...[home, realPath(home)].map((path) => [path, "~"]),
  ].filter(([path = "/"]) => dirname(path) !== path);
  return (text) =>
    known.reduce((cut, [path = "", shown = ""]) => cut.replaceAll(path, shown), text);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
