import { lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { LoopError } from "@ccw-loop/core";

export async function writeWhole(cwd: string, path: string, content: string): Promise<void> {
  const file = await inside(cwd, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** Replaces the one `old`. When only the new text is there it is done already, and no error. */
export async function replaceText(
  cwd: string,
  { path, old, new: replacement }: { path: string; old: string; new: string },
): Promise<void> {
  const file = await inside(cwd, path);
  const content = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new LoopError("agent_failed", `Cannot replace text: ${path} cannot be read.`, { cause });
  });
  const times = content.split(old).length - 1;
  const done = content.includes(replacement) && (times === 0 || replacement.includes(old));
  if (done) return;
  if (times !== 1) {
    const found = times === 0 ? "neither the old nor the new text" : `the old text ${times} times`;
    const message = `Cannot replace text: ${path} contains ${found}. Old: ${JSON.stringify(old)}`;
    throw new LoopError("agent_failed", message);
  }
  await writeFile(
    file,
    content.replace(old, () => replacement),
  );
}

/** Adds `text` at the end, unless the file ends with it already. Makes a missing file. */
export async function appendText(cwd: string, path: string, text: string): Promise<void> {
  const file = await inside(cwd, path);
  const content = await readFile(file, "utf8").catch(() => "");
  if (!content.endsWith(text)) await writeWhole(cwd, path, content + text);
}

export async function deleteFile(cwd: string, path: string): Promise<void> {
  await rm(await inside(cwd, path), { force: true });
}

/** The absolute path of a file in `cwd`. Throws `unsafe_path` when it, or a link on the way, leads out. */
async function inside(cwd: string, path: string): Promise<string> {
  const root = await realpath(cwd);
  const file = resolve(root, path);
  const refused = new LoopError(
    "unsafe_path",
    `The agent script names ${path}, which is not inside ${cwd}. Use a path relative to the project.`,
  );
  if (isAbsolute(path) || !file.startsWith(root + sep)) throw refused;
  let existing = file;
  while (!(await lstat(existing).catch(() => undefined))) existing = dirname(existing);
  const real = await realpath(existing).catch(() => undefined);
  if (real === undefined || !join(real, sep).startsWith(join(root, sep))) throw refused;
  return file;
}
