import { join } from "node:path";
import type { LoopPaths } from "../paths.ts";

export const numbered = (revision: number) => String(revision).padStart(10, "0");

export const revisionFile = ({ history }: LoopPaths, revision: number) =>
  join(history, `${numbered(revision)}.json`);

/** The same where hard links do not exist; the commit is the file `commit.json` in it. */
export const revisionFolder = ({ history }: LoopPaths, revision: number) =>
  join(history, numbered(revision));

export const snapshotFile = ({ history }: LoopPaths, revision: number) =>
  join(history, `snapshot-${numbered(revision)}.json`);

/** The folder whose name is the epoch of the lease on a loop; claiming renames it. */
export const epochFolder = (history: string, epoch: number) =>
  join(history, `epoch-${numbered(epoch)}`);

/** The revisions among the names in a history, the oldest first. */
export function revisionsIn(names: readonly string[]): number[] {
  const revisions = names.filter((name) => /^\d{10}(\.json)?$/.test(name));
  return revisions.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}
