import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { IGNORED_FOLDERS } from "../files/scan.ts";
import { LINK_RULES } from "./rules.ts";

/** So many folders may lie above an installed one, for projects of several packages. */
const DEEPEST = 4;

/** Folders below `root` that have the name of what tools install, by `/` paths; none inside another. */
export async function installedFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  let level = [""];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of await entriesOf(join(root, folder))) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.name in LINK_RULES) found.push(path);
        else if (entry.isDirectory() && !IGNORED_FOLDERS.has(entry.name)) next.push(path);
        if (entry.name === "vendor") found.push(`${path}/bundle`);
      }
    }
    level = next;
  }
  const there = await Promise.all(found.map(async (path) => isFolder(join(root, path))));
  return found.filter((_, index) => there[index]);
}

/** The rule for an installed folder. */
export function ruleFor(path: string) {
  const [last = "", before = ""] = path.split("/").reverse();
  return LINK_RULES[`${before}/${last}`] ?? LINK_RULES[last];
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}
