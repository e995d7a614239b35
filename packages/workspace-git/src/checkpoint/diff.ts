import type { Diff } from "@ccw-loop/core";
import { parseRawDiff, type RawDifference } from "../git/listing.ts";
import { type OpenRepository, shownPath } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { textOf } from "../raw-path.ts";
import { requireCommit } from "./entries.ts";

/** A longer patch is cut. */
const MOST = 20 * 1024 * 1024;
const COMPARE = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
const PATCH = ["-p", "-U3", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"];
const CONFIG = { "core.quotePath": "false", "core.bigFileThreshold": "16m" };

export async function diffCheckpoints(
  { repository }: OpenRepository,
  from: string,
  to: string,
  most: number = MOST,
): Promise<Diff> {
  for (const commit of [from, to]) await requireCommit(repository, commit);
  const compare = (args: string[], most?: number) =>
    git([...COMPARE, ...args, from, to], {
      cwd: repository.top,
      config: CONFIG,
      ...(most === undefined ? {} : { most }),
    });
  const [counted, patched] = await Promise.all([
    compare(["--raw", "--numstat", "-z"]),
    compare(PATCH, most),
  ]);
  const changes = parseCounted(counted.stdout);
  const patch = textOf(patched.stdout);
  return {
    ...(repository.prefix === "" ? {} : { prefix: repository.prefix }),
    files: changes.map(({ path, kind, added, removed }) => ({
      path: shownPath(repository, path),
      kind,
      added,
      removed,
    })),
    patch: patched.cut ? `${patch.slice(0, patch.lastIndexOf("\n") + 1)}${cutAfter(most)}` : patch,
  };
}

function cutAfter(bytes: number): string {
  const size = bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`;
  return `… cut here: the patch is larger than ${size}. Compare single files to see the rest.\n`;
}

interface Counted extends RawDifference {
  added: number | null;
  removed: number | null;
}

/** Parses `git diff-tree -z --raw --numstat`: all raw records, then all counts, in the same order. */
function parseCounted(stdout: string): Counted[] {
  const found = parseRawDiff(stdout);
  const counts = stdout.split("\0").slice(2 * found.length);
  return found.map((change, n) => {
    const [added = "-", removed = "-"] = (counts[n] ?? "").split("\t");
    const isText = added !== "-";
    return {
      ...change,
      added: isText ? Number(added) : null,
      removed: isText ? Number(removed) : null,
    };
  });
}
