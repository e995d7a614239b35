import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes files into a project; those that start with `#!` can be run. */
export async function write(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content);
    if (content.startsWith("#!")) await chmod(join(dir, path), 0o755);
  }
}
