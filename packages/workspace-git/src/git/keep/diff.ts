import type { Diff, FileChange } from "@ccw-loop/core";
import type { RawPath } from "../../raw-path.ts";
import { textOf } from "../../raw-path.ts";
import type { OpenRepository } from "../opened.ts";
import { shownPath } from "../paths.ts";
import { git } from "../run-git.ts";
import { requireCommit } from "./kept.ts";
import { patchFrom } from "./patch-paths.ts";

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
  const patch = textOf(patchFrom(repository, changes, patched.stdout));
  return {
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

export interface Counted {
  path: RawPath;
  kind: FileChange["kind"];
  /** A change of what it is (file, link, submodule) is two sections of a patch. */
  sections: 1 | 2;
  added: number | null;
  removed: number | null;
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

/** Parses `git diff-tree -z --raw --numstat`: all raw records, then all counts, in the same order. */
export function parseCounted(stdout: string): Counted[] {
  const fields = stdout.split("\0");
  const changes: Counted[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += 2) {
    const status = fields[at]?.split(" ").at(-1) ?? "";
    changes.push({
      path: fields[at + 1] ?? "",
      kind: KINDS[status] ?? "modified",
      sections: status === "T" ? 2 : 1,
      added: null,
      removed: null,
    });
  }
  for (const change of changes) {
    const [added = "-", removed = "-"] = (fields[at] ?? "").split("\t");
    if (added !== "-") Object.assign(change, { added: Number(added), removed: Number(removed) });
    at += 1;
  }
  return changes;
}
