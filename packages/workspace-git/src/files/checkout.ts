import { chmod, constants, copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { type Checkout, LoopError } from "@ccw-loop/core";
import { emptyFolder } from "../empty-folder.ts";
import { installedFolders } from "../lend/installed.ts";
import type { Unchanged } from "../lend/installed-files.ts";
import { linkInstalled } from "../lend/lend.ts";
import { fileAt, textOf } from "../raw-path.ts";
import { isSecret } from "../secrets.ts";
import { type ContentStore, digestFile } from "./content-store.ts";
import { contentOf, type Manifest } from "./manifest.ts";
import { IGNORED_FOLDERS } from "./scan.ts";

interface FilesCheckout {
  root: string;
  folder: string;
  manifest: Manifest;
  contents: ContentStore;
  unchanged: Unchanged;
}

/**
 * Writes what a manifest names, but for secrets, into an empty folder and links what is installed. Throws
 * `invalid_input` for a file that is neither kept nor as it was.
 */
export async function checkoutFiles(options: FilesCheckout): Promise<Checkout> {
  const { root, folder, manifest, contents, unchanged } = options;
  const top = await emptyFolder(folder, root);
  for (const [path, entry] of manifest) {
    if (isSecret(path)) continue;
    const target = fileAt(top, path);
    const { mode, digest } = contentOf(entry);
    await mkdir(fileAt(top, posix.dirname(path)), { recursive: true });
    const kept = await contents.read(digest);
    if (kept && mode === "120000") await symlink(kept, target);
    else if (kept) await writeFile(target, kept);
    else if ((await digestFile(fileAt(root, path))) === digest) {
      await copyFile(fileAt(root, path), target, constants.COPYFILE_FICLONE);
    } else throw notKept(textOf(path));
    if (mode !== "120000") await chmod(target, mode === "100755" ? 0o755 : 0o644);
  }
  const folders = await ignoredInstalled(root);
  await linkInstalled(root, top, folders, unchanged);
  const linked = unchanged === null ? folders.map((path) => join(root, path)) : [];
  return { cwd: top, top, project: root, linked };
}

/** Installed folders that are no part of a tree. */
export async function ignoredInstalled(root: string): Promise<string[]> {
  const installed = await installedFolders(root);
  return installed.filter((path) => path.split("/").some((part) => IGNORED_FOLDERS.has(part)));
}

function notKept(path: string): LoopError {
  return new LoopError(
    "invalid_input",
    `${path} has changed since this checkpoint, and without git its earlier content is not kept (it is too large). Run git init here first.`,
  );
}
