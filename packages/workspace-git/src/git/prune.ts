import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { OpenRepository } from "../measure/open-repository.ts";
import { OBJECT_NAME, objectFolders } from "./repository.ts";
import { git } from "./run.ts";

/** Fewer files are left alone. */
const FEW = 10_000;
const OLD_MS = 30 * 24 * 60 * 60 * 1000;
const NAME = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

interface Stored {
  name: string;
  file: string;
  old: boolean;
}

/**
 * Drops tree objects that were not written for 30 days when there are many; git renews the time of one that it writes
 * again. What a document of a loop beside the folder mentions stays, with all that is part of it: no loop under way
 * loses a tree that it may still compare.
 */
export async function pruneObjects(
  { repository, objects }: Pick<OpenRepository, "repository" | "objects">,
  few: number = FEW,
): Promise<void> {
  if ((await readdir(join(objects, "17")).catch(() => [])).length * 256 < few) return;
  const stored = await storedIn(objects);
  const old = stored.filter((object) => object.old);
  if (stored.length <= few || old.length === 0) return;
  const env = objectFolders(repository, objects);
  const mentioned = await mentionedIn(dirname(objects));
  const ask = (args: string[], input: string[]) =>
    git(args, { cwd: repository.top, env, input, ended: "\n" });
  const looked = await ask(["cat-file", "--batch-check"], [...mentioned]);
  const trees = [...looked.stdout.matchAll(/^(\S+) tree /gm)].map(([, name = ""]) => name);
  const walk = ["rev-list", "--objects", "--no-object-names", "--filter=blob:none"];
  const walked = await ask([...walk, "--missing=allow-any", "--stdin"], trees);
  const needed = new Set(walked.stdout.split("\n"));
  for (const { name, file } of old) if (!needed.has(name)) await rm(file, { force: true });
}

async function storedIn(objects: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const folder of await readdir(objects)) {
    const place = join(objects, folder);
    if (!/^[0-9a-f]{2}$/.test(folder) || !(await lstat(place)).isDirectory()) continue;
    for (const rest of await readdir(place)) {
      if (!OBJECT_NAME.test(folder + rest)) continue;
      const file = join(objects, folder, rest);
      const found = await lstat(file).catch(() => null);
      const old = found !== null && found.mtimeMs < Date.now() - OLD_MS;
      stored.push({ name: folder + rest, file, old });
    }
  }
  return stored;
}

/** Everything in the loops' documents that may be the name of an object. */
async function mentionedIn(folder: string): Promise<Set<string>> {
  const names = new Set<string>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith(".json")) continue;
    const text = await readFile(join(folder, file), "utf8").catch(() => "");
    for (const [name] of text.matchAll(NAME)) names.add(name);
  }
  return names;
}
