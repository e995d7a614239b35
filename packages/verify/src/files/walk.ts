import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders with other people's code, or none at all. */
const FOREIGN = new Set([
  "node_modules",
  "bower_components",
  "venv",
  "site-packages",
  "__pycache__",
]);
/** Folders that hold what a build or a test run left behind. */
const BUILDS = new Set(["dist", "build", "out", "target", "coverage"]);

const DEPTH = 24;
const VISITED = 200_000;

/**
 * Paths of regular files below a folder, with `/`, in a fixed order. Hidden folders, `node_modules` and its
 * like are left out, symbolic links are not followed; build folders only with `builds`. Ends early, without a
 * word, in a tree of more than 200,000 entries.
 */
export async function* filesUnder(root: string, { builds = false } = {}): AsyncGenerator<string> {
  let visited = 0;
  const skipped = (name: string) =>
    name.startsWith(".") || FOREIGN.has(name) || (!builds && BUILDS.has(name));

  async function* walk(folder: string, depth: number): AsyncGenerator<string> {
    const entries = await list(join(root, folder));
    for (const entry of entries) {
      visited += 1;
      if (visited > VISITED) return;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && depth < DEPTH && !skipped(entry.name)) {
        yield* walk(path, depth + 1);
      }
    }
  }
  yield* walk("", 0);
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
