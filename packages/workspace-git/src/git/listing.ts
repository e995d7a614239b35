import type { RawPath } from "../raw-path.ts";

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
  for (const record of stdout.split("\0")) {
    const tag = record.slice(0, 1);
    const path = record.slice(2);
    if (path === "") continue;
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

/** Parses `git diff-files -z --raw`: paths whose file is gone, and those whose file may differ. */
export function parseDifferences(stdout: string): { gone: RawPath[]; differing: RawPath[] } {
  const gone = new Set<RawPath>();
  const differing = new Set<RawPath>();
  const fields = stdout.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] ?? "";
    (fields[at]?.endsWith(" D") ? gone : differing).add(path);
  }
  return { gone: [...gone], differing: [...differing] };
}

export interface IndexEntry {
  path: RawPath;
  mode: string;
  name: string;
}

/** Parses `git ls-files -s -z` without unmerged paths. */
export function parseEntries(stdout: string): IndexEntry[] {
  const entries: IndexEntry[] = [];
  for (const record of stdout.split("\0")) {
    const tab = record.indexOf("\t");
    const [mode = "", name = "", stage] = record.slice(0, tab).split(" ");
    if (stage === "0") entries.push({ path: record.slice(tab + 1), mode, name });
  }
  return entries;
}
