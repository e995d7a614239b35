import { readFile, stat } from "node:fs/promises";
import { fileDigest } from "../file-digest.ts";
import type { Repository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { filesOf } from "../git/trees.ts";
import { fileAt, lstatOf, type RawPath } from "../raw-path.ts";
import {
  hasLfsStore,
  LFS,
  LONGEST,
  type Pointer,
  parsePointer,
  pointerText,
  storeContent,
  storedContent,
} from "./lfs.ts";
import type { OpenRepository } from "./open-repository.ts";
import type { WorkingTree } from "./working-tree.ts";

/** Files whose very bytes git-lfs has in its own store, so that they need not be kept twice. */
export async function storedByLfs(
  { repository, measure }: OpenRepository,
  { tree, leftOut }: WorkingTree,
): Promise<Map<RawPath, { pointer: Pointer; mode: string }>> {
  const kept = new Map<RawPath, { pointer: Pointer; mode: string }>();
  if (!(await hasLfsStore(repository))) return kept;
  const files = (await filesOf(repository, tree)).filter(({ mode }) => mode.startsWith("100"));
  const drivers = await filtersOf(
    repository,
    files.map(({ path }) => path),
  );
  for (const { path, mode } of files) {
    if (drivers.get(path) !== LFS || leftOut.has(path)) continue;
    const stats = lstatOf(fileAt(repository.top, path));
    if (!stats?.isFile()) continue;
    const pointer = { oid: await measure.digestOf(path, stats), size: Number(stats.size) };
    const stored = await storedContent(repository, pointer);
    const isRight = stored !== null && (await measure.storedDigest(stored)) === pointer.oid;
    if (isRight) kept.set(path, { pointer, mode });
  }
  return kept;
}

/** The drivers that attributes name for paths. */
export async function filtersOf(
  { top }: Pick<Repository, "top">,
  paths: readonly RawPath[],
): Promise<Map<RawPath, string>> {
  const found = new Map<RawPath, string>();
  if (paths.length === 0) return found;
  const { stdout } = await git(["check-attr", "-z", "--stdin", "filter"], {
    cwd: top,
    input: paths,
  });
  const fields = stdout.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , value = ""] = fields.slice(at, at + 3);
    if (!["unspecified", "unset", "set"].includes(value)) found.set(path, value);
  }
  return found;
}

/**
 * What git-lfs would make of a file that is added: the text of its pointer. With `store` the content is in its store
 * afterwards. A file that is a pointer stays one.
 */
export async function lfsPointerText(
  repository: Repository,
  file: Buffer,
  store: boolean,
): Promise<string> {
  const { size } = await stat(file);
  const text = size <= LONGEST ? await readFile(file, "latin1") : "";
  if (parsePointer(text)) return text;
  const pointer = { oid: await fileDigest(file), size };
  if (store) await storeContent(repository, pointer, file);
  return pointerText(pointer);
}
