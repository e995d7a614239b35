import type { RawPath } from "../../raw-path.ts";
import { storedByLfs } from "../lfs/kept-by-lfs.ts";
import { pointerText } from "../lfs/pointer.ts";
import { parseEntries } from "../listing.ts";
import { textBlobs } from "../objects.ts";
import type { BlobNameCache, ObjectStoreEnv } from "../repository.ts";
import { zeroName } from "../repository.ts";
import type { MeasuredTree } from "../snapshot.ts";

export interface RawTree {
  name: string;
  /** Files that stand in the tree as the pointer of git-lfs, which has their bytes. */
  lfs: Set<RawPath>;
}

/**
 * The tree of what lies in the folder, byte for byte: without the conversions that `tree` has, and without what
 * no checkpoint keeps. With `into` it is there, or in the repository, whole.
 */
export async function rawTree(
  found: MeasuredTree,
  names: BlobNameCache,
  into: ObjectStoreEnv,
): Promise<RawTree> {
  const { repository, survey, filters, run } = found;
  const { leftOut, converted } = survey;
  const pointers = await storedByLfs(repository, survey);
  const kept = [...pointers];
  const differing = new Set([...converted.rewritten, ...converted.filtered.keys()]);
  const wanted = [...differing].filter((path) => !leftOut.has(path) && !pointers.has(path));
  const raw = await names.of(wanted, into);
  const stored = await textBlobs(
    repository,
    kept.map(([, pointer]) => pointerText(pointer)),
    into,
  );
  kept.forEach(([path], index) => {
    raw.set(path, stored[index] ?? "");
  });
  const removed = `0 ${zeroName(repository)}`;
  const records: RawPath[] = [...leftOut.keys()].map((path) => `${removed}\t${path}`);
  if (raw.size > 0) {
    for (const { path, mode, name } of parseEntries((await run(["ls-files", "-s", "-z"])).stdout)) {
      const bytes = raw.get(path);
      if (bytes !== undefined && bytes !== name) records.push(`${mode} ${bytes}\t${path}`);
    }
  }
  if (records.length > 0) await run(["update-index", "-z", "--index-info"], { input: records });
  // Git itself makes sure that every object is there, where it is to be stored.
  const write = into && !filters.partial ? ["write-tree"] : ["write-tree", "--missing-ok"];
  const name = (await run(write, { into })).stdout.trim();
  return { name, lfs: new Set(pointers.keys()) };
}
