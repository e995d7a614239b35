import type { FileChange } from "@ccw-loop/core";
import type { OpenRepository, Repository } from "../git/repository.ts";
import { rawDiff } from "../git/trees.ts";
import type { RawPath } from "../raw-path.ts";
import { withMeasuredTree } from "../snapshot/snapshot.ts";
import { type TreeEntry, treeEntries } from "./entries.ts";
import type { Note } from "./note.ts";
import { rawTree } from "./raw-tree.ts";

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
  const { repository, names } = opened;
  const kept = { commit, lfs: new Set(lfs) };
  return withMeasuredTree(opened, "bytes", null, async (found) => {
    const now = await rawTree(found, names, null);
    const differing = (await rawDiff(opened, now.name, commit)).map(
      ({ path, kind, before, after }): Difference => ({
        ...{ path, kind, ...after, there: before },
        lfs: kept.lfs.has(path),
      }),
    );
    const pointed = await lfsDifferences(repository, kept, now.lfs, differing);
    const all = [...differing, ...pointed];
    const untouched = new Set(leftOut);
    const absent = await unchangedSparse(repository, head, all, found.status.sparse);
    return all.filter(
      ({ path, there, kind, mode }) =>
        !untouched.has(path) &&
        !absent.has(path) &&
        !(there.mode === "160000" && (kind === "deleted" || mode === "160000")),
    );
  });
}

/** Entries of a sparse checkout that were kept as HEAD had them: without a file, then as now. */
async function unchangedSparse(
  repository: Repository,
  head: string | null,
  differing: readonly Difference[],
  sparse: ReadonlySet<RawPath>,
): Promise<Set<RawPath>> {
  const asked = differing.filter(({ path }) => sparse.has(path));
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
