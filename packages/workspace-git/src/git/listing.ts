import type { FileChange } from "@ccw-loop/core";
import { type RawPath, records } from "../raw-path.ts";

/** What `git ls-files -v` knows: tracked paths, those among them that it was told not to look at, and others. */
export interface Listing {
  tracked: RawPath[];
  /** Marked "assume unchanged". */
  assumed: RawPath[];
  /** Marked "skip worktree": left out of a sparse checkout, or hidden by hand. */
  skipped: RawPath[];
  untracked: RawPath[];
  /** Untracked folders that are repositories themselves. */
  nested: RawPath[];
}

/** Parses `git ls-files -z -v --cached --others`. */
export function parseListing(stdout: string): Listing {
  const found: Listing = { tracked: [], assumed: [], skipped: [], untracked: [], nested: [] };
  for (const record of records(stdout)) {
    const tag = record.slice(0, 1);
    const path = record.slice(2);
    if (tag === "?") {
      if (path.endsWith("/")) found.nested.push(path.slice(0, -1));
      else found.untracked.push(path);
      continue;
    }
    // An unmerged path comes once for each side.
    if (found.tracked.at(-1) !== path) found.tracked.push(path);
    if (tag.toUpperCase() === "S") found.skipped.push(path);
    if (tag === tag.toLowerCase()) found.assumed.push(path);
  }
  return found;
}

/** One path that differs, as git tells it; zeros where there is nothing. */
export interface RawDifference {
  path: RawPath;
  kind: FileChange["kind"];
  before: { mode: string; name: string };
  after: { mode: string; name: string };
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

/** Parses `git diff-tree` or `git diff-files` with `-z --raw --no-renames`; what stands behind the records is left. */
export function parseRawDiff(stdout: string): RawDifference[] {
  const fields = stdout.split("\0");
  const found: RawDifference[] = [];
  for (let at = 0; fields[at]?.startsWith(":"); at += 2) {
    const words = fields[at]?.slice(1).split(" ") ?? [];
    const [was = "", mode = "", wasName = "", name = "", status = ""] = words;
    found.push({
      path: fields[at + 1] ?? "",
      kind: KINDS[status] ?? "modified",
      before: { mode: was, name: wasName },
      after: { mode, name },
    });
  }
  return found;
}

export interface IndexEntry {
  path: RawPath;
  mode: string;
  name: string;
}

/** Parses `git ls-files -s -z` without unmerged paths. */
export function parseEntries(stdout: string): IndexEntry[] {
  const entries: IndexEntry[] = [];
  for (const record of records(stdout)) {
    const tab = record.indexOf("\t");
    const [mode = "", name = "", stage] = record.slice(0, tab).split(" ");
    if (stage === "0") entries.push({ path: record.slice(tab + 1), mode, name });
  }
  return entries;
}
