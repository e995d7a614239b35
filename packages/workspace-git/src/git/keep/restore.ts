import { chmod, lstat } from "node:fs/promises";
import type { FileChange } from "@ccw-loop/core";
import { fileAt } from "../../raw-path.ts";
import type { OpenRepository } from "../opened.ts";
import { shownPath } from "../paths.ts";
import type { Repository } from "../repository.ts";
import { type Difference, differences } from "./differences.ts";
import { requireCheckpoint } from "./kept.ts";
import { canWrite, removeEmptyFolders, requireNoObstacle } from "./obstacles.ts";
import { removeFiles } from "./remove-files.ts";
import { backUp } from "./set-aside.ts";
import { modeLike, writeFiles } from "./write-files.ts";

/**
 * Makes the files of the working tree those of a checkpoint. Files that the rules of that time ignore stay; so
 * the `.gitignore` files go first, and what is left to do is found after that. What was ignored only since then is in
 * no checkpoint: it is set aside. Paths in `leaves` stay as they are.
 */
export async function restore(
  opened: OpenRepository,
  commit: string,
  leaves: readonly string[] = [],
): Promise<FileChange[]> {
  const { repository } = opened;
  const note = await requireCheckpoint(repository, commit);
  const left = new Set(leaves);
  const find = async () => {
    const found = await differences(opened, commit, note);
    return found.filter(({ path }) => !left.has(shownPath(repository, path)));
  };
  const all = await find();
  const rules: Difference[] = [];
  for (const difference of all.filter(({ path }) => /(^|\/)\.gitignore$/.test(path))) {
    if (await canWrite(repository.top, difference)) rules.push(difference);
  }
  await apply(repository, rules);
  const rest = rules.length > 0 ? await find() : all;
  await requireNoObstacle(repository.top, rest);
  const seen = new Set(all.map(({ path }) => path));
  const unkept = rest.filter(({ path, kind }) => kind === "deleted" && !seen.has(path));
  await backUp(
    repository,
    unkept.map(({ path }) => path),
  );
  await apply(repository, rest);
  const done = new Map([...rules, ...rest].map(({ path, kind }) => [path, kind]));
  return [...done].map(([path, kind]) => ({ path: shownPath(repository, path), kind }));
}

async function apply(repository: Repository, wanted: readonly Difference[]): Promise<void> {
  const { top } = repository;
  const gone = wanted.filter(
    ({ kind, mode }) => kind === "deleted" || (kind === "modified" && mode === "160000"),
  );
  await removeFiles(
    repository,
    gone.map(({ path }) => path),
  );
  const kept = wanted.filter(({ kind }) => kind !== "deleted");
  await removeEmptyFolders(top, kept);
  for (const entry of kept.filter(isOtherRights)) {
    const file = fileAt(top, entry.path);
    await chmod(file, modeLike((await lstat(file)).mode, entry.mode));
  }
  await writeFiles(
    repository,
    top,
    kept.filter((entry) => !isOtherRights(entry)),
  );
}

/** Whether only the right to run the file differs. */
function isOtherRights({ mode, name, there }: Difference): boolean {
  const regular = mode.startsWith("100") && there.mode.startsWith("100");
  return regular && name === there.name && mode !== there.mode;
}
