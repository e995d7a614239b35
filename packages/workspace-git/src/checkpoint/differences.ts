import type { FileChange } from "@ccw-loop/core";
import type { Repository } from "../git/repository.ts";
import { treeDifferences } from "../git/trees.ts";
import { keptTree } from "../measure/kept-tree.ts";
import type { OpenRepository } from "../measure/open-repository.ts";
import { fileAt, lstatOf, type RawPath } from "../raw-path.ts";
import { requireTreeOf } from "./commit-object.ts";
import { type TreeEntry, treeEntries } from "./entries.ts";
import type { Note } from "./note.ts";

/** What is to be done with one path, so that it becomes as it was kept. */
export interface Difference extends TreeEntry {
  kind: FileChange["kind"];
  /** What lies there now; zeros where there is nothing. */
  there: { mode: string; name: string };
}

/** From what lies in the folder now to what was kept. Repositories inside are not ours to change. */
export async function differences(
  opened: OpenRepository,
  commit: string,
  { head, lfs, leftOut }: Note,
): Promise<Difference[]> {
  const { repository, measure } = opened;
  const kept = { commit, lfs: new Set(lfs) };
  const found = await measure.look();
  const now = await keptTree(opened, found);
  const then = await requireTreeOf(repository, commit);
  const differing = (await treeDifferences(repository, now.name, then)).map(
    ({ path, kind, before, after }): Difference => ({
      ...{ path, kind, ...after, there: before },
      lfs: kept.lfs.has(path),
    }),
  );
  const pointed = await lfsDifferences(repository, kept, new Set(now.pointers.keys()), differing);
  const all = [...differing, ...pointed];
  const untouched = new Set(leftOut);
  const absent = await unchangedSparse(repository, head, all, found.tracked.sparse);
  return all.filter(
    ({ path, there, kind, mode }) =>
      !untouched.has(path) &&
      !absent.has(path) &&
      !(there.mode === "160000" && (kind === "deleted" || mode === "160000")),
  );
}

/** Entries of a sparse checkout that were kept as HEAD had them: without a file, then as now. */
async function unchangedSparse(
  repository: Repository,
  head: string | null,
  differing: readonly Difference[],
  sparse: ReadonlyMap<RawPath, unknown>,
): Promise<Set<RawPath>> {
  const isThere = (path: RawPath) => lstatOf(fileAt(repository.top, path)) !== undefined;
  const asked = differing.filter(({ path }) => sparse.has(path) && !isThere(path));
  if (asked.length === 0 || head === null) return new Set();
  const entries = await treeEntries(repository, head, new Set());
  const known = new Map(entries.map(({ path, name }) => [path, name]));
  return new Set(
    asked.filter(({ path, name }) => known.get(path) === name).map(({ path }) => path),
  );
}

/** Files with the same pointer in both trees, which lies there as it is in one and as its content in the other. */
async function lfsDifferences(
  repository: Repository,
  { commit, lfs: then }: { commit: string; lfs: ReadonlySet<RawPath> },
  now: ReadonlySet<RawPath>,
  differing: readonly Difference[],
): Promise<Difference[]> {
  const known = new Set(differing.map(({ path }) => path));
  const paths = new Set([...now, ...then]);
  const wanted = [...paths].filter((path) => now.has(path) !== then.has(path) && !known.has(path));
  if (wanted.length === 0) return [];
  const entries = await treeEntries(repository, commit, then);
  return entries
    .filter(({ path }) => wanted.includes(path))
    .map((entry) => ({ ...entry, kind: "modified", there: { mode: entry.mode, name: "" } }));
}
