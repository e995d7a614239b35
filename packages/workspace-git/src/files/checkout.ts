import { chmod, constants, copyFile, mkdir, readlink, symlink } from "node:fs/promises";
import { posix } from "node:path";
import { emptyFolder } from "../empty-folder.ts";
import { installedFolders } from "../lend/installed.ts";
import { lend } from "../lend/lend.ts";
import { isSecret } from "../secrets.ts";
import { contentOf, type Manifest } from "./manifest.ts";
import { IGNORED_FOLDERS, inside } from "./scan.ts";

/** Copies what a manifest names, but for secrets, into an empty folder and lends it what is installed. */
export async function checkoutFiles(
  root: string,
  manifest: Manifest,
  folder: string,
): Promise<string> {
  const top = await emptyFolder(folder, root);
  for (const [path, entry] of manifest) {
    if (isSecret(path)) continue;
    const [source, target] = [inside(root, path), inside(top, path)];
    await mkdir(inside(top, posix.dirname(path)), { recursive: true });
    const { mode } = contentOf(entry);
    if (mode === "120000") await symlink(await readlink(source, { encoding: "buffer" }), target);
    else {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, mode === "100755" ? 0o755 : 0o644);
    }
  }
  const installed = await installedFolders(root);
  const ignored = installed.filter((path) =>
    path.split("/").some((part) => IGNORED_FOLDERS.has(part)),
  );
  await lend(root, top, ignored);
  return top;
}
