import { createHash } from "node:crypto";
import { LoopError } from "@ccw-loop/core";
import type { ObjectStoreEnv, Repository } from "./repository.ts";
import { git } from "./run-git.ts";

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

/** The name of a text as a blob. */
export function blobName({ hash }: Pick<Repository, "hash">, text: string): string {
  return createHash(hash)
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
}
