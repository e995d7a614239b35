import { writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { type FileChange, LoopError, type Workspace } from "@ccw-loop/core";
import { ownFolder } from "../own-folder.ts";
import { textOf } from "../raw-path.ts";
import { findRepository, type Repository } from "./repository.ts";
import { git } from "./run-git.ts";
import { objectFolders, snapshot } from "./snapshot.ts";

/** Tree objects that the repository does not have are kept in `.workflow/.loop/.objects`. */
const FOLDER = ".objects";
const TREE_NAME = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

/**
 * The whole repository around `cwd`, from its top level, so that a change beside a subfolder is seen too;
 * paths are relative to `cwd`. Both methods throw `invalid_input` where there is no repository.
 */
export function gitWorkspace(cwd: string): Workspace {
  let found: Promise<Repository> | undefined;
  const repository = () => {
    found ??= requireRepository(cwd).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  return {
    kind: "git",
    async tree() {
      const known = await repository();
      const objects = await objectFolder(cwd);
      // A file that changes while it is read makes git give up; it is read again.
      return snapshot(known, objects).catch(() => snapshot(known, objects));
    },
    async changes(from, to) {
      const known = await repository();
      const names = [from, to].map(requireTreeName);
      const { exitCode, stdout } = await git(
        ["diff-tree", "-r", "-z", "--name-status", "--no-renames", ...names],
        {
          cwd: known.top,
          env: objectFolders(known, await objectFolder(cwd)),
          answers: [128],
        },
      );
      if (exitCode !== 0) throw unknownTree(names.join(" or "));
      return parseChanges(stdout, known.prefix);
    },
  };
}

async function requireRepository(cwd: string): Promise<Repository> {
  const repository = await findRepository(cwd);
  if (repository) return repository;
  throw new LoopError("invalid_input", `${cwd} is in no git repository. Run git init there first.`);
}

/** The folder ignores itself, so that it shows in nobody's `git status`. */
async function objectFolder(cwd: string): Promise<string> {
  const folder = await ownFolder(cwd, FOLDER);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  return folder;
}

function requireTreeName(name: string): string {
  if (!TREE_NAME.test(name)) throw unknownTree(name.slice(0, 80));
  return name;
}

function unknownTree(name: string): LoopError {
  return new LoopError("invalid_input", `This workspace knows no tree ${name}. Measure it again.`);
}

/** Status and path in turn, NUL between all of them. */
function parseChanges(stdout: string, prefix: string): FileChange[] {
  const fields = stdout.split("\0");
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = textOf(fields[at + 1] ?? "");
    changes.push({
      path: prefix === "" ? path : posix.relative(`/${prefix}`, `/${path}`),
      kind: KINDS[fields[at] ?? ""] ?? "modified",
    });
  }
  return changes;
}
