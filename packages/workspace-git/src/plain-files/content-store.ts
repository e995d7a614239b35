import { readFile, readlink } from "node:fs/promises";
import { skipReason } from "../not-kept.ts";
import { fileAt, type RawPath, textOf } from "../raw-path.ts";
import type { DigestStore } from "./digest-store.ts";
import { contentOf, type Manifest, type ManifestStore } from "./manifest.ts";

/** No more than this of one tree is kept without git, before compression. */
const MOST = 256 * 1024 * 1024;
/** Contents that no tree needs are looked for when there are so many more than this tree has. */
const SPARE = 1000;

/** Keeps the contents of the files that a manifest names; answers with those that were left out for a reason. */
export async function storeContents(
  root: string,
  manifest: Manifest,
  sizes: ReadonlyMap<RawPath, bigint>,
  contents: DigestStore,
): Promise<{ path: string; reason: string }[]> {
  const there = new Set(await contents.names());
  const skipped: { path: string; reason: string }[] = [];
  let total = 0;
  for (const [path, entry] of manifest) {
    const { mode, digest } = contentOf(entry);
    const size = sizes.get(path) ?? 0n;
    const isFull = total + Number(size) > MOST;
    const reason =
      skipReason(path, { tracked: false, readable: true, size }) ??
      (isFull ? "beyond the 256 MB that are kept without git" : null);
    if (reason) {
      skipped.push({ path: textOf(path), reason });
      continue;
    }
    total += Number(size);
    if (there.has(digest)) continue;
    const read =
      mode === "120000"
        ? readlink(fileAt(root, path), { encoding: "buffer" })
        : readFile(fileAt(root, path));
    const content = await read.catch(() => null);
    // A file that changed meanwhile is in the next checkpoint.
    if (content && contents.nameOf(content) === digest) await contents.keep(content);
  }
  return skipped;
}

/** Drops contents that no kept manifest names, when there are many. */
export async function pruneContents(
  manifest: Manifest,
  manifests: ManifestStore,
  contents: DigestStore,
  most: number = SPARE,
): Promise<void> {
  const spare = new Set(await contents.names());
  if (spare.size <= 2 * manifest.size + most) return;
  for (const kept of await manifests.all()) {
    for (const entry of kept.values()) spare.delete(contentOf(entry).digest);
  }
  await contents.drop(spare);
}
