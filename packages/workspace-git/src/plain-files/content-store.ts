import { hash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { isSecret } from "../left-out.ts";
import { fileAt, type RawPath, textOf } from "../raw-path.ts";
import { gzipFiles } from "./gzip-files.ts";
import { contentOf, type Manifest } from "./manifest.ts";
import type { ManifestStore } from "./manifest-store.ts";

/** Larger files are not kept without git. */
const LARGEST = 8 * 1024 * 1024;
/** No more than this of one tree is kept without git, before compression. */
const MOST = 256 * 1024 * 1024;
/** Contents that no tree needs are looked for when there are so many more than this tree has. */
const SPARE = 1000;

/** Keeps the contents of the files that a manifest names; answers with those that were left out for a reason. */
export async function storeContents(
  root: string,
  manifest: Manifest,
  sizes: ReadonlyMap<RawPath, bigint>,
  contents: ContentStore,
): Promise<{ path: string; reason: string }[]> {
  const there = await contents.names();
  const skipped: { path: string; reason: string }[] = [];
  let total = 0;
  for (const [path, entry] of manifest) {
    const { mode, digest } = contentOf(entry);
    const size = Number(sizes.get(path) ?? 0n);
    const reason = isSecret(path)
      ? "may hold secrets"
      : size >= LARGEST
        ? "not below 8 MB"
        : total + size > MOST
          ? "beyond the 256 MB that are kept without git"
          : null;
    if (reason) {
      skipped.push({ path: textOf(path), reason });
      continue;
    }
    total += size;
    if (there.has(digest)) continue;
    const read =
      mode === "120000"
        ? readlink(fileAt(root, path), { encoding: "buffer" })
        : readFile(fileAt(root, path));
    const content = await read.catch(() => null);
    // A file that changed meanwhile is in the next checkpoint.
    if (content && hash("sha256", content) === digest) {
      await contents.keep(digest, content);
    }
  }
  return skipped;
}

/** Drops contents that no kept manifest names, when there are many. */
export async function pruneContents(
  manifest: Manifest,
  manifests: ManifestStore,
  contents: ContentStore,
  most: number = SPARE,
): Promise<void> {
  const spare = await contents.names();
  if (spare.size <= 2 * manifest.size + most) return;
  for (const kept of await manifests.all()) {
    for (const entry of kept.values()) spare.delete(contentOf(entry).digest);
  }
  await contents.drop(spare);
}

const FOLDER = ".contents";

export type ContentStore = ReturnType<typeof contentStore>;

/** Contents of files by their SHA-256, compressed, beside the manifests. */
export function contentStore(cwd: string) {
  const files = gzipFiles(cwd, FOLDER);
  return {
    names: async () => new Set(await files.names()),
    keep: files.write,
    /** Null when it is not kept, or damaged. */
    async read(digest: string): Promise<Buffer | null> {
      const content = await files.read(digest);
      return content && hash("sha256", content) === digest ? content : null;
    },
    async drop(digests: Iterable<string>) {
      for (const digest of digests) await files.remove(digest);
    },
  };
}
