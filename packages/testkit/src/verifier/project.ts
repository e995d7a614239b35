import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A small project in a temporary folder. */
export interface TempProject {
  dir: string;
  /** The content of a file; undefined while it does not exist. */
  read(path: string): Promise<string | undefined>;
  remove(): Promise<void>;
}

/** A folder that holds these files, by their paths with `/`. */
export async function tempProject(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const dir = await mkdtemp(join(tmpdir(), "ccw-loop-project-"));
  for (const [path, content] of Object.entries(files)) {
    const file = join(dir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return {
    dir,
    read: (path) => readFile(join(dir, path), "utf8").catch(() => undefined),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
