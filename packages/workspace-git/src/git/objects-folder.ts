import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownFolder } from "../own-folder.ts";

/** Tree objects that the repository does not have are kept in `.workflow/.loop/.objects`. */
const FOLDER = ".objects";

/** The folder ignores itself, so that it shows in nobody's `git status`. */
export async function objectsFolder(cwd: string): Promise<string> {
  const folder = await ownFolder(cwd, FOLDER);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  return folder;
}

/** Lets the workspace of `cwd` also compare with the trees that another one has measured. */
export async function shareObjects(cwd: string, others: string): Promise<void> {
  const info = join(await objectsFolder(cwd), "info");
  await mkdir(info, { recursive: true });
  await writeFile(join(info, "alternates"), `${JSON.stringify(others)}\n`);
}
