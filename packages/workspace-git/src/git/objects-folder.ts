import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hiddenFolder } from "../own-folder.ts";

/** Tree objects that the repository does not have are kept in `.workflow/.loop/.objects`. */
const FOLDER = ".objects";

export function objectsFolder(cwd: string): Promise<string> {
  return hiddenFolder(cwd, FOLDER);
}

/** Lets the workspace of `cwd` also compare with the trees that another one has measured. */
export async function shareObjects(cwd: string, others: string): Promise<void> {
  const info = join(await objectsFolder(cwd), "info");
  await mkdir(info, { recursive: true });
  await writeFile(join(info, "alternates"), `${JSON.stringify(others)}\n`);
}
