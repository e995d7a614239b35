import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { IGNORED_FOLDERS } from "../plain-files/scan.ts";

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

/** How the entries of an installed folder get into another copy of the project. What no rule names becomes a link. */
export interface LinkRule {
  /** Folders that are made, with their entries linked one by one. */
  made: RegExp;
  /** Files that are copied, because programs ask them where they are. */
  copied: RegExp;
  /** Entries that are not linked: caches that would be written through the link. */
  omitted: RegExp;
}

const NEVER = /^(?!)/;

const NODE: LinkRule = {
  made: /^(\.bin|@[^/]+)$/,
  copied: NEVER,
  omitted: /^\.(cache|parcel-cache|tmp|turbo|vite|vite-temp|vitest)$/,
};

/** Scripts name their interpreter, and editable installs the project, by an absolute path. */
const PYTHON: LinkRule = {
  made: /^(bin|Scripts|lib|Lib|lib\/[^/]+|(lib\/[^/]+|Lib)\/site-packages)$/,
  copied:
    /^(pyvenv\.cfg|(bin|Scripts)\/[^/]+|.*\/site-packages\/([^/]+\.(pth|egg-link)|__editable__[^/]*))$/,
  omitted: NEVER,
};

/** Composer finds the project from where its own files really are. */
const VENDOR: LinkRule = {
  made: /^([^/]+|composer\/.+)$/,
  copied: /^(autoload\.php|(bin|composer)\/.+)$/,
  omitted: NEVER,
};

const BUNDLE: LinkRule = { made: NEVER, copied: NEVER, omitted: NEVER };

/** By the end of the folder's path. */
export const LINK_RULES: Readonly<Record<string, LinkRule>> = {
  node_modules: NODE,
  ".venv": PYTHON,
  venv: PYTHON,
  vendor: VENDOR,
  "vendor/bundle": BUNDLE,
};
