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

/** The epochs among the names in a history. */
export function epochsIn(names: readonly string[]): number[] {
  return names.filter((name) => /^epoch-\d+$/.test(name)).map((name) => Number(name.slice(6)));
}

/** The revisions among the names in a history, the oldest first. */
export function revisionsIn(names: readonly string[]): number[] {
  const revisions = names.filter((name) => /^\d{10}(\.json)?$/.test(name));
  return revisions.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}

/** Revisions in order as people write them: `revision 4`, `revisions 2 to 5, 9`. */
export function revisionsText(revisions: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const revision of revisions) {
    const last = ranges.at(-1);
    if (last && revision === last.to + 1) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
  const texts = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${revisions.length === 1 ? "revision" : "revisions"} ${texts.join(", ")}`;
}
