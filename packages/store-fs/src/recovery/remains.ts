import { jsonOf, type LoopState } from "@ccw-loop/core";
import { isSealed } from "../commits/commit.ts";
import { readJournal } from "../commits/journal.ts";
import { isNearTheEnd } from "../commits/revision-names.ts";
import { startsAnew, stateAfter } from "../commits/state-at.ts";
import type { Context, OpenLoop } from "../context.ts";
import { stateIn } from "../foreign/take-in.ts";

/** A state that some file still tells exactly. */
export interface Found {
  state: LoopState;
  revision: number;
  from: "history" | "journal" | "document";
}

/** What is left of a loop's files. */
export interface Remains {
  /** The newest state that is told exactly, if any. */
  best: Found | null;
  /** Revisions whose files cannot be read, the oldest first. */
  damaged: number[];
  /** How many lines of the journal cannot be read. */
  unreadable: number;
  /** As far as one can tell, no commit was ever given a higher number; what only a name says is not believed of the last. */
  highest: number;
}

const BATCH = 32;

/**
 * Looks at history, journal and published document; the newest state wins. Of a history with more files than a loop
 * leaves, the older ones are not looked at once the newest that can be read is found.
 */
export async function remainsOf(context: Context, loop: OpenLoop): Promise<Remains> {
  const { history, machine } = context;
  const { paths } = loop;
  const recent = new Set(history.recent(paths));
  const damaged: number[] = [];
  let best: Found | null = null;
  for (const [n, revision] of history.revisions(paths).toReversed().entries()) {
    if (best && !recent.has(revision)) break;
    if (n % BATCH === BATCH - 1) await machine.turn();
    const state = history.tryLoad(paths, revision)?.commit.state;
    if (!state) damaged.push(revision);
    else best ??= { state, revision, from: "history" };
  }
  damaged.reverse();
  const journal = await replay(context, loop, best);
  best = journal.found ?? best;
  const published = publishedState(context, loop);
  if (published && published.revision > (best?.revision ?? 0)) best = published;
  const named = damaged.findLast((revision) => !isNearTheEnd(revision)) ?? 0;
  const highest = Math.max(best?.revision ?? 0, journal.newest, named);
  return { best, damaged, unreadable: journal.unreadable, highest };
}

/** The journal folded over a state it can go on from, as far as it goes without a gap. */
async function replay({ disk }: Context, { paths }: OpenLoop, base: Found | null) {
  let state = base?.state;
  let revision = base?.revision ?? 0;
  let whole = true;
  let newest = 0;
  let unreadable = 0;
  for await (const entry of readJournal(disk, paths.journal, () => unreadable++)) {
    newest = entry.revision;
    if (entry.revision <= revision) continue;
    const anew = startsAnew(entry.events[0]);
    whole = anew || (whole && state !== undefined && entry.revision === revision + 1);
    if (!whole) continue;
    state = stateAfter(anew ? undefined : state, entry.events);
    revision = entry.revision;
  }
  const more = state !== undefined && revision > (base?.revision ?? 0);
  const found: Found | null = state && more ? { state, revision, from: "journal" } : null;
  return { found, newest, unreadable };
}

function publishedState({ disk }: Context, { paths }: OpenLoop): Found | null {
  const text = disk.read(paths.document) ?? "";
  const raw = jsonOf(text);
  const state = isSealed(raw) ? stateIn(text, paths.id) : null;
  return isSealed(raw) && state ? { state, revision: raw.revision, from: "document" } : null;
}
