import { type BigIntStats, lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { RawPath } from "../../raw-path.ts";
import { fileAt } from "../../raw-path.ts";
import type { BlobNameCache, ObjectStoreEnv, Repository } from "../repository.ts";
import { git } from "../run-git.ts";

/** A file that was changed this shortly before it was read may change again without a new time. */
const SETTLED_NS = 2_000_000_000n;
const AT_ONCE = 256;

interface Remembered {
  stamp: string;
  name: string;
  stored: boolean;
}

/** `clock`: milliseconds since 1970. */
export function blobNameCache({ top }: Repository, clock: () => number = Date.now): BlobNameCache {
  const remembered = new Map<RawPath, Remembered>();
  return {
    async of(paths, into) {
      const names = new Map<RawPath, string>();
      const unknown: { path: RawPath; stats: BigIntStats }[] = [];
      for (const found of await regularFiles(top, paths)) {
        const known = remembered.get(found.path);
        if (known?.stamp === stampOf(found.stats) && (known.stored || !into)) {
          names.set(found.path, known.name);
        } else unknown.push(found);
      }
      const now = BigInt(clock()) * 1_000_000n;
      const read = await hash(
        top,
        unknown.map(({ path }) => path),
        into,
      );
      unknown.forEach(({ path, stats }, index) => {
        const name = read[index] ?? "";
        names.set(path, name);
        const { mtimeNs, ctimeNs } = stats;
        const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
        if (changed + SETTLED_NS < now) {
          remembered.set(path, { stamp: stampOf(stats), name, stored: into !== null });
        } else remembered.delete(path);
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

function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join(" ");
}
