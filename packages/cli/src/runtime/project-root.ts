import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { foldersUp } from "@ccw-loop/processes/plain-file";

/** A folder with one of these is a package. */
const PACKAGE =
  /^(package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(\.kts)?|composer\.json|mix\.exs|.*\.(gemspec|csproj|fsproj|vbproj))$/;

/** Where a project keeps its loops. */
export const loopFolder = (root: string) => join(root, ".workflow", ".loop");

/** Where the processes of a project's loops are registered. */
export const processFolder = (root: string) => join(loopFolder(root), ".processes");

/** Where it is kept what messages about loops are still to be sent. */
export const messageFolder = (root: string) => join(loopFolder(root), ".messages");

/**
 * The project that `cwd` lies in: on the way up to the nearest folder that keeps loops already or is a repository, the first
 * package, else that folder; `cwd` itself where there is none. A loop's own worktree belongs to the project that keeps the loop.
 */
export function projectRoot(cwd: string): string {
  let first: string | undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    first ??= isPackage(folder) ? folder : undefined;
    if (keepsLoops(folder) || isRepository(folder)) {
      return projectOfWorktree(first ?? folder) ?? projectOfWorktree(folder) ?? first ?? folder;
    }
    if (dirname(folder) === folder) return cwd;
  }
}

/** The nearest folder above a project that keeps loops, but the root of all: somebody may look for them in a package. */
export function loopsAbove(root: string): string | undefined {
  return foldersUp(dirname(root)).slice(0, -1).find(keepsLoops);
}

const keepsLoops = (folder: string) => existsSync(loopFolder(folder));

function isPackage(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => PACKAGE.test(name));
  } catch {
    return false;
  }
}

/** An empty `.git` is none: a sandbox leaves such a folder where it kept an agent from making one. */
function isRepository(folder: string): boolean {
  const git = join(folder, ".git");
  const found = statSync(git, { throwIfNoEntry: false });
  return (
    found?.isFile() === true || (found?.isDirectory() === true && existsSync(join(git, "HEAD")))
  );
}

/** `PROJECT/app` for `PROJECT.worktrees/ID/app` where that is the worktree of its loop ID. */
function projectOfWorktree(folder: string): string | undefined {
  const [, top, id, inside = ""] = /^(.+)\.worktrees[\\/]([^\\/]+)([\\/].*)?$/.exec(folder) ?? [];
  if (top === undefined) return undefined;
  const home = `${top}${inside}`;
  return existsSync(join(loopFolder(home), `${id}.json`)) ? home : undefined;
}
