import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import type { RawPath } from "../raw-path.ts";
import { objectFolders } from "./index.ts";
import type { ObjectStoreEnv, OpenRepository, Repository } from "./repository.ts";
import { git } from "./run.ts";

const TOGETHER_BYTES = 32 * 1024 * 1024;
const TOGETHER = 1024;

/** Sizes of objects in bytes; those that the repository does not have are not in the answer. */
export async function sizesOf(
  { top }: Repository,
  names: readonly string[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  if (names.length === 0) return sizes;
  const { stdout } = await git(["cat-file", "--batch-check"], {
    cwd: top,
    input: [...new Set(names)],
    ended: "\n",
  });
  for (const line of stdout.split("\n")) {
    const [, name, size] = /^([0-9a-f]+) \w+ (\d+)$/.exec(line) ?? [];
    if (name !== undefined) sizes.set(name, Number(size));
  }
  return sizes;
}

/** Splits into groups that fit into memory together; what is larger than that stands alone. */
export function batches<T extends { size: number }>(items: readonly T[]): T[][] {
  const groups: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const group = groups.at(-1);
    if (group && group.length < TOGETHER && bytes + item.size <= TOGETHER_BYTES) {
      group.push(item);
      bytes += item.size;
    } else {
      groups.push([item]);
      bytes = item.size;
    }
  }
  return groups;
}

/** Contents in the order of the names, all of which must be there. */
export async function contentsOf({ top }: Repository, names: readonly string[]): Promise<Buffer[]> {
  if (names.length === 0) return [];
  const { stdout } = await git(["cat-file", "--batch"], { cwd: top, input: names, ended: "\n" });
  const contents: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const end = stdout.indexOf("\n", at);
    const size = Number(/^[0-9a-f]+ \w+ (\d+)$/.exec(stdout.slice(at, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw noObject(top, name);
    contents.push(Buffer.from(stdout.slice(end + 1, end + 1 + size), "latin1"));
    at = end + 1 + size + 1;
  }
  return contents;
}

function noObject(top: string, name: string): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The repository at ${top} has lost the object ${name}. Check it with: git -C ${top} fsck`,
    { details: { object: name } },
  );
}

/** The names of short texts as blobs; with `into` they are there, or in the repository, afterwards. */
export async function textBlobs(
  repository: Repository,
  texts: readonly string[],
  into: ObjectStoreEnv,
): Promise<string[]> {
  const names = texts.map((text) => blobName(repository, text));
  const there = into ? await sizesOf(repository, names) : new Map<string, number>();
  for (const [index, text] of into ? texts.entries() : []) {
    if (there.has(names[index] ?? "")) continue;
    const args = ["hash-object", "-w", "--stdin"];
    await git(args, { cwd: repository.top, env: into ?? {}, input: [text], ended: "" });
  }
  return names;
}

/** Writes a commit, its message as bytes; its name. */
export async function writeCommit(
  { top }: Repository,
  tree: string,
  parents: readonly string[],
  message: RawPath,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout } = await git(["commit-tree", tree, ...parents.flatMap((name) => ["-p", name])], {
    cwd: top,
    config: { "i18n.commitEncoding": "UTF-8" },
    env,
    input: [message],
    ended: "\n",
  });
  return stdout.trim();
}

/** The name of a text as a blob. */
export function blobName({ hash }: Pick<Repository, "hash">, text: string): string {
  return createHash(hash)
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
}

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
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const rest of await readdir(join(objects, folder))) {
      const file = join(objects, folder, rest);
      const found = await stat(file).catch(() => null);
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
