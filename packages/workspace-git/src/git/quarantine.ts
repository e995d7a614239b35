import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { objectFolders } from "./private-index.ts";
import { unwritable } from "./refusals.ts";
import type { Repository } from "./repository.ts";

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
