import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  utimes,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RawPath } from "../raw-path.ts";
import { type Filters, findFilters } from "../snapshot/filters.ts";
import { isGitRefusal, unwritable } from "./errors.ts";
import type { ObjectStoreEnv, OpenRepository, Repository } from "./repository.ts";
import { git } from "./run.ts";

/** Runs git on the copy; new objects go to our own folder, or into the given place. */
export type Run = (
  args: readonly string[],
  more?: { input?: readonly RawPath[]; into?: ObjectStoreEnv },
) => Promise<{ stdout: string }>;

/** A copy of the user's index, to be turned into something else. */
export interface PrivateIndex {
  repository: Repository;
  filters: Filters;
  /** Untracked files that count as if they were not there. */
  without: ReadonlySet<string>;
  run: Run;
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Works on a copy of the user's index, so that only files which differ from it are read. The copy is gone when
 * `use` is over. A file that changes while it is read makes git give up; then all of it is done once more.
 */
export async function withPrivateIndex<T>(
  {
    repository,
    objects,
    without = NOTHING,
  }: Pick<OpenRepository, "repository" | "objects" | "without">,
  use: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  const attempt = async () => {
    const { folder, index } = await copyIndex(repository.index);
    try {
      const filters = await findFilters(repository.top);
      const run: Run = (args, { into, ...more } = {}) =>
        git(args, {
          cwd: repository.top,
          config: filters.config,
          env: { GIT_INDEX_FILE: index, ...(into ?? objectFolders(repository, objects)) },
          ...more,
        });
      return await use({ repository, filters, without, run });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return attempt().catch((error: unknown) => {
    if (isGitRefusal(error)) return attempt();
    throw error;
  });
}

/** New objects go to our own folder; the repository's own are only read. */
export function objectFolders(
  { objects: theirs }: Repository,
  objects: string,
): Record<string, string> {
  return {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(theirs),
  };
}

/**
 * Git takes a file for unchanged when its time is older than the index. A copy must not be younger than its
 * original: what was changed in between would be missed.
 */
async function copyIndex(from: string): Promise<{ folder: string; index: string }> {
  try {
    const folder = await mkdtemp(join(tmpdir(), "ccw-loop-index-"));
    const index = join(folder, "index");
    const found = await stat(from).catch(() => null);
    if (found !== null) {
      await copyFile(from, index, constants.COPYFILE_FICLONE);
      const seconds = (Math.floor(found.mtimeMs) - 1) / 1000;
      await utimes(index, seconds, seconds);
    }
    return { folder, index };
  } catch (error) {
    throw unwritable(error, Buffer.from(tmpdir()));
  }
}

/**
 * Objects that git stores in the environment of `use` get into the repository together when it is over, and not at
 * all when it throws: a full disk leaves nothing behind. Git itself removes what a crash leaves (`git gc`).
 */
export async function withQuarantine<T>(
  repository: Repository,
  use: (into: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const { objects } = repository;
  const prefix = join(objects, "tmp_objdir-ccw-loop-");
  const folder = await mkdtemp(prefix).catch((error: unknown) => {
    throw unwritable(error, Buffer.from(objects));
  });
  try {
    const result = await use(objectFolders(repository, folder));
    await release(folder, objects).catch((error: unknown) => {
      throw unwritable(error, Buffer.from(objects));
    });
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function release(folder: string, objects: string): Promise<void> {
  for (const start of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(start)) continue;
    const target = join(objects, start);
    await makeLike(target, objects);
    for (const rest of await readdir(join(folder, start))) {
      await rename(join(folder, start, rest), join(target, rest));
    }
  }
}

/** With the rights of the folder above, which a shared repository needs. */
async function makeLike(folder: string, above: string): Promise<void> {
  const made = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      return false;
    },
  );
  if (made) await chmod(folder, (await stat(above)).mode & 0o7777);
}
