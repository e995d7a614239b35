import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repository } from "../repository.ts";
import type { Pointer } from "./pointer.ts";

/** Where git-lfs keeps a content of this repository. */
function storedAt({ objects }: Repository, { oid }: Pointer): string {
  return join(dirname(objects), "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** The file with the content; null when git-lfs does not have it here. */
export async function storedContent(
  repository: Repository,
  pointer: Pointer,
): Promise<string | null> {
  const file = storedAt(repository, pointer);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size === pointer.size ? file : null;
}

/** As git-lfs does it when a file is added. */
export async function storeContent(
  repository: Repository,
  pointer: Pointer,
  source: Buffer,
): Promise<void> {
  if ((await storedContent(repository, pointer)) !== null) return;
  const file = storedAt(repository, pointer);
  await mkdir(dirname(file), { recursive: true });
  const aside = `${file}.${randomUUID()}.tmp`;
  await copyFile(source, aside, constants.COPYFILE_FICLONE);
  await rename(aside, file);
}
