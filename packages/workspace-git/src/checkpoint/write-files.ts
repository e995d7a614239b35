import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, open, rename, rm, symlink } from "node:fs/promises";
import { LoopError } from "@ccw-loop/core";
import { fileDigest } from "../file-digest.ts";
import { makePlainFolder } from "../folders.ts";
import { unsafePath, unwritable } from "../git/errors.ts";
import type { Repository } from "../git/repository.ts";
import { parsePointer, storedContent } from "../measure/lfs.ts";
import { fileAt, type RawPath, textOf } from "../raw-path.ts";
import type { TreeEntry } from "./entries.ts";

const AT_ONCE = 16;

/**
 * Writes files and links below `top`, each aside and then under its name, and makes the folders of submodules.
 * Folders on the way are made; one that is a link or a file is refused with `unsafe_path`.
 */
export async function writeFiles(
  repository: Repository,
  top: string,
  entries: readonly TreeEntry[],
): Promise<void> {
  const folders = safeFolders(top);
  for (const { path } of entries.filter(({ mode }) => mode === "160000")) await folders.make(path);
  const files = entries.filter(({ mode }) => mode !== "160000");
  for (let from = 0; from < files.length; from += AT_ONCE) {
    const batch = files.slice(from, from + AT_ONCE).map(async (entry) => {
      await folders.makeFor(entry.path);
      await put(repository, top, entry);
    });
    await Promise.all(batch);
  }
}

async function put(repository: Repository, top: string, entry: TreeEntry): Promise<void> {
  const { path, mode } = entry;
  const slash = path.lastIndexOf("/") + 1;
  // Not a name that is ignored: what a crash leaves is removed when it is done again.
  const aside = fileAt(top, `${path.slice(0, slash)}.ccw-loop-${randomUUID()}`);
  try {
    if (mode === "120000") await symlink(await contentOf(repository, entry), aside);
    else {
      const before = await lstat(fileAt(top, path)).catch(() => null);
      await fill(repository, aside, entry);
      if (before?.isFile()) await chmod(aside, modeLike(before.mode, mode));
    }
    await rename(aside, fileAt(top, path));
  } catch (error) {
    await rm(aside, { force: true });
    throw unwritable(error, fileAt(top, path));
  }
}

async function fill(repository: Repository, file: Buffer, entry: TreeEntry): Promise<void> {
  const { mode, name, lfs } = entry;
  const text = lfs ? (await contentOf(repository, entry)).toString("latin1") : "";
  const pointer = parsePointer(text);
  const stored = pointer && (await storedContent(repository, pointer));
  const handle = await open(file, "wx", mode === "100755" ? 0o777 : 0o666);
  try {
    // Without the content the pointer stays; git-lfs knows what to do with it.
    if (stored) {
      await copyFile(stored, file, constants.COPYFILE_FICLONE);
      if ((await fileDigest(file)) !== pointer?.oid) throw forgedByLfs(stored, entry);
    } else {
      const found = await repository.reader.findInto(name, "blob", async (part) => {
        await handle.writeFile(part);
      });
      if (!found) throw gone(repository, entry);
    }
  } finally {
    await handle.close();
  }
}

async function contentOf(repository: Repository, entry: TreeEntry): Promise<Buffer> {
  const content = await repository.reader.find(entry.name, "blob");
  if (content === null) throw gone(repository, entry);
  return content;
}

/** The rights that a file had, with those who may run it as its mode in git says. */
export function modeLike(before: number, mode: string): number {
  const rights = before & 0o777;
  return mode === "100755" ? rights | ((rights & 0o444) >> 2) : rights & ~0o111;
}

/** Makes folders below `top`, never through a link: throws `unsafe_path` when a part of one is there and no folder. */
function safeFolders(top: string) {
  const known = new Map<RawPath, Promise<void>>();
  const make = (path: RawPath): Promise<void> => {
    const making = known.get(path) ?? makeOne(path);
    known.set(path, making);
    return making;
  };
  const makeFor = async (file: RawPath) => {
    const slash = file.lastIndexOf("/");
    if (slash > 0) await make(file.slice(0, slash));
  };
  const makeOne = async (path: RawPath) => {
    await makeFor(path);
    const folder = fileAt(top, path);
    const made = await makePlainFolder(folder).catch((error: unknown) => {
      throw unwritable(error, folder);
    });
    if (made === "blocked") throw unsafePath(top, path);
  };
  return { make, makeFor };
}

function forgedByLfs(stored: string, { path }: TreeEntry): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The store of git-lfs holds another content for ${textOf(path)}: ${stored} is damaged, or somebody put it there. Remove it and fetch it again: git lfs fetch`,
  );
}

function gone({ top }: Repository, { path, name }: TreeEntry): LoopError {
  return new LoopError(
    "store_unavailable",
    `The content of ${textOf(path)} (${name}) is not in the repository at ${top}. Fetch it (git fsck tells more) and try again.`,
  );
}
