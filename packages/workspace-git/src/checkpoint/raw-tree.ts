import { type BigIntStats, lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { StampCache } from "../file-digest.ts";
import { parseEntries } from "../git/listing.ts";
import { textBlobs } from "../git/objects.ts";
import {
  type BlobNameCache,
  type ObjectStoreEnv,
  type Repository,
  zeroName,
} from "../git/repository.ts";
import { git } from "../git/run.ts";
import { fileAt, type RawPath } from "../raw-path.ts";
import { pointerText } from "../snapshot/lfs.ts";
import { storedByLfs } from "../snapshot/lfs-files.ts";
import type { MeasuredTree } from "../snapshot/snapshot.ts";

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
  const { repository, status, filters, run } = found;
  const { leftOut, converted } = status;
  const pointers = await storedByLfs(repository, status);
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

const AT_ONCE = 256;

/** `clock`: milliseconds since 1970. */
export function blobNameCache({ top }: Repository, clock: () => number = Date.now): BlobNameCache {
  const remembered = new StampCache<{ name: string; stored: boolean }>();
  return {
    async of(paths, into) {
      const names = new Map<RawPath, string>();
      const unknown: { path: RawPath; stats: BigIntStats }[] = [];
      for (const found of await regularFiles(top, paths)) {
        const known = remembered.get(found.path, found.stats);
        if (known && (known.stored || !into)) names.set(found.path, known.name);
        else unknown.push(found);
      }
      const now = clock();
      const read = await hash(
        top,
        unknown.map(({ path }) => path),
        into,
      );
      unknown.forEach(({ path, stats }, index) => {
        const name = read[index] ?? "";
        names.set(path, name);
        remembered.set(path, stats, { name, stored: into !== null }, now);
      });
      return names;
    },
    forget: () => remembered.clear(),
  };
}

/** Looks synchronously, which is much faster for many files, with room for others in between. */
async function regularFiles(top: string, paths: readonly RawPath[]) {
  const found: { path: RawPath; stats: BigIntStats }[] = [];
  for (const [index, path] of paths.entries()) {
    const stats = lstatOf(fileAt(top, path));
    if (stats?.isFile()) found.push({ path, stats });
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
  }
  return found;
}

function lstatOf(file: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A folder on the way is a file by now.
    return undefined;
  }
}

async function hash(
  top: string,
  paths: readonly RawPath[],
  into: ObjectStoreEnv,
): Promise<string[]> {
  if (paths.length === 0) return [];
  const args = ["hash-object", "--no-filters", ...(into ? ["-w"] : []), "--stdin-paths"];
  const { stdout } = await git(args, {
    cwd: top,
    env: into ?? {},
    input: paths.map(quoted),
    ended: "\n",
  });
  return stdout.trimEnd().split("\n");
}

/** As git reads it where a line is a path. */
function quoted(path: RawPath): string {
  const escaped = path.replaceAll(/["\\\n]/g, (found) => `\\${found === "\n" ? "n" : found}`);
  return `"${escaped}"`;
}
