import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { everyByte } from "./place.ts";

/**
 * Everything of a repository that a checkpoint may not change, to the last byte: index, HEAD, refs, reflogs, stash,
 * configuration, hooks. Not in it are stored objects, which only become more, and our own refs.
 */
export async function userState(gitFolder: string): Promise<Record<string, string>> {
  const all = Object.entries(await everyByte(gitFolder)).map(([path, digest]) => [
    path.slice(gitFolder.length + 1),
    digest,
  ]);
  return Object.fromEntries(
    all.filter(([path]) => !/^(objects|refs\/ccw-loop)\//.test(path ?? "")),
  );
}

/** Every file and link below a folder as `mode content`, but for paths that `leftOut` fits; one character per byte. */
export async function filesIn(folder: string, leftOut: RegExp): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = async (inner: string) => {
    const at = (path: string) => Buffer.from(`${folder}/${path}`, "latin1");
    const options = { encoding: "buffer", withFileTypes: true } as const;
    for (const entry of await readdir(at(inner), options)) {
      const name = entry.name.toString("latin1");
      const path = inner === "" ? name : `${inner}/${name}`;
      if (leftOut.test(path)) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isSymbolicLink()) found[path] = `link ${await readlink(at(path))}`;
      else {
        const runs = ((await lstat(at(path))).mode & 0o100) !== 0;
        found[path] = `${runs ? "program" : "file"} ${await readFile(at(path), "latin1")}`;
      }
    }
  };
  await walk("");
  return found;
}

/** Paths of folders without anything in them. */
export async function emptyFoldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const looked = folders.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return (await readdir(path)).length === 0 ? [path] : [];
  });
  return (await Promise.all(looked)).flat();
}
