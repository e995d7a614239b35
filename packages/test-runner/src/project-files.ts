import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hasTestName, isCode } from "@ccw-loop/core";
import { fileDigest, readPlain } from "@ccw-loop/processes/plain-file";

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

/** Whether a project's path (with `/`) is a test file, or something a test compares with, by common custom. */
export function isTestFile(path: string): boolean {
  if (/[._-]e2e\.[cm]?[jt]sx?$/.test(path)) return true;
  return hasTestName(path) && (isCode(path) || /\.(bats|feature|snap)$/.test(path));
}

/** How many test files are digested; those after them in path order are not. */
const TEST_FILES_KEPT = 5000;

/** The project's test files by path, with the SHA-256 of their content in hexadecimal. */
export async function digestTestFiles(cwd: string): Promise<Record<string, string>> {
  const digests: [string, string][] = [];
  for await (const path of filesUnder(cwd)) {
    if (!isTestFile(path)) continue;
    if (digests.length >= TEST_FILES_KEPT) break;
    // Null for a file that is gone or cannot be read.
    const digest = await fileDigest(join(cwd, path)).catch(() => null);
    if (digest !== null) digests.push([path, digest]);
  }
  return Object.fromEntries(digests);
}

/** Larger files are not read as text. */
const TEXT_LIMIT = 4 * 1024 * 1024;

/** The text of a file, also behind a link; null where there is none, or one of more bytes. */
export function textOf(path: string, most = TEXT_LIMIT): string | null {
  try {
    return readPlain(path, { most, followLinks: true })?.toString("utf8") ?? null;
  } catch {
    return null;
  }
}

/** The texts of those of the files that can be read, by their paths. */
export function textsOf(paths: readonly string[], cwd: string): Map<string, string> {
  const read = paths.map((path) => [path, textOf(join(cwd, path))] as const);
  return new Map(read.flatMap(([path, text]) => (text === null ? [] : [[path, text]])));
}
