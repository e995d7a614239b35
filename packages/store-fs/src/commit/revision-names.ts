import { join } from "node:path";
import { Epoch, LAST_EPOCH, LAST_REVISION, Revision } from "@ccw-loop/core";
import type { LoopPaths } from "../paths.ts";

const DIGITS = 10;

/** Ten digits. Throws a RangeError for a number that has more: its name would be none that we read. */
export function numbered(number: number): string {
  if (Number.isInteger(number) && number >= 0 && number <= Math.max(LAST_REVISION, LAST_EPOCH)) {
    return String(number).padStart(DIGITS, "0");
  }
  throw new RangeError(`${number} is neither a revision nor an epoch.`);
}

export const revisionFile = ({ history }: LoopPaths, revision: number) =>
  join(history, `${numbered(revision)}.json`);

/** The folder whose name is the epoch of the lease on a loop; claiming renames it. */
export const epochFolder = (history: string, epoch: number) =>
  join(history, `epoch-${numbered(epoch)}`);

/** The epochs among the names in a history. A name with another number of digits is none of ours. */
export function epochsIn(names: readonly string[]): number[] {
  return names.flatMap((name) => {
    const digits = /^epoch-(\d{10})$/.exec(name)?.[1];
    return digits === undefined ? [] : (Epoch.safeParse(Number(digits)).data ?? []);
  });
}

/** The revisions among the names in a history, the oldest first. */
export function revisionsIn(names: readonly string[]): number[] {
  const revisions = names.flatMap((name) => {
    const digits = /^(\d{10})\.json$/.exec(name)?.[1];
    return digits === undefined ? [] : (Revision.safeParse(Number(digits)).data ?? []);
  });
  return revisions.sort((a, b) => a - b);
}

/**
 * True for the last million numbers. No loop gets there by commits of its own, so the name of a file alone does not
 * make one believed.
 */
export function isNearTheEnd(revision: number): boolean {
  return revision > LAST_REVISION - 1_000_000;
}

/** Revisions one after the other. A file may name any number, so nothing counts from one revision to another. */
export interface RevisionRange {
  from: number;
  to: number;
}

/** The ranges of revisions that are in order. */
export function rangesOf(revisions: readonly number[]): RevisionRange[] {
  const ranges: RevisionRange[] = [];
  for (const revision of revisions) {
    const last = ranges.at(-1);
    if (last && revision <= last.to + 1) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
  return ranges;
}

/** What `revisions`, which are in order, leave out between `from` and `to`. */
export function gapsIn(revisions: readonly number[], from: number, to: number): RevisionRange[] {
  const gaps: RevisionRange[] = [];
  let next = from;
  for (const known of [...rangesOf(revisions), { from: to + 1, to: to + 1 }]) {
    if (known.from > next) gaps.push({ from: next, to: Math.min(known.from - 1, to) });
    next = Math.max(next, known.to + 1);
    if (next > to) break;
  }
  return gaps;
}

const MOST_RANGES = 20;

/** Revisions as people write them: `revision 4`, `revisions 2 to 5, 9`. */
export function revisionsText(ranges: readonly RevisionRange[]): string {
  const [first] = ranges;
  const texts = ranges
    .slice(0, MOST_RANGES)
    .map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  const more = ranges.length > MOST_RANGES ? ` and ${ranges.length - MOST_RANGES} more ranges` : "";
  const isOne = ranges.length === 1 && first?.from === first?.to;
  return `${isOne ? "revision" : "revisions"} ${texts.join(", ")}${more}`;
}
