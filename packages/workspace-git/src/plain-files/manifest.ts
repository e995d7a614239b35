import { createHash } from "node:crypto";
import type { FileChange } from "@ccw-loop/core";
import { type RawPath, records, textOf } from "../raw-path.ts";

/** What a tree holds: `mode digest` by path. */
export type Manifest = ReadonlyMap<RawPath, string>;

/** The parts of an entry. */
export function contentOf(entry: string): { mode: string; digest: string } {
  const [mode = "", digest = ""] = entry.split(" ");
  return { mode, digest };
}

/** One record for each file, in the order of their paths, each ended with NUL. */
export function encode(manifest: Manifest): string {
  return [...manifest].map(([path, content]) => `${content}\t${path}\0`).join("");
}

export function decode(text: string): Manifest {
  return new Map(
    records(text).map((record) => {
      const tab = record.indexOf("\t");
      return [record.slice(tab + 1), record.slice(0, tab)];
    }),
  );
}

/** Equal content, equal name. */
export function nameOf(encoded: string): string {
  return `files-${createHash("sha256").update(encoded, "latin1").digest("hex")}`;
}

/** `onto` with what differs between two manifests done to it, in the order of the paths. */
export function applyChanges(
  onto: Manifest = new Map(),
  before: Manifest = new Map(),
  after: Manifest = new Map(),
): Manifest {
  const result = new Map(onto);
  for (const path of before.keys()) if (!after.has(path)) result.delete(path);
  for (const [path, entry] of after) if (before.get(path) !== entry) result.set(path, entry);
  return new Map([...result].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In the order of the paths. */
export function manifestChanges(from: Manifest, to: Manifest): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, content] of from) {
    const now = to.get(path);
    if (now === undefined) changes.push({ path: textOf(path), kind: "deleted" });
    else if (now !== content) changes.push({ path: textOf(path), kind: "modified" });
  }
  for (const path of to.keys()) {
    if (!from.has(path)) changes.push({ path: textOf(path), kind: "added" });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
