import type { LoopState } from "@ccw-loop/core";
import { isSealed } from "../commits/commit.ts";
import { readJournal } from "../commits/journal.ts";
import { jsonOf } from "../commits/lines.ts";
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
  /** Revisions whose files cannot be read, the newest first. */
  damaged: number[];
  /** As far as one can tell, no commit was ever given a higher number. */
  highest: number;
}

/** Looks at history, journal and published document; the newest state wins. */
export async function remainsOf(context: Context, loop: OpenLoop): Promise<Remains> {
  const { paths } = loop;
  const revisions = context.history.revisions(paths);
  const damaged: number[] = [];
  let best: Found | null = null;
  for (const revision of revisions.toReversed()) {
    const state = context.history.tryLoad(paths, revision)?.commit.state;
    if (state) {
      best = { state, revision, from: "history" };
      break;
    }
    damaged.push(revision);
  }
  best = (await replay(context, loop, best)) ?? best;
  const published = publishedState(context, loop);
  if (published && published.revision > (best?.revision ?? 0)) best = published;
  return { best, damaged, highest: Math.max(best?.revision ?? 0, ...revisions) };
}

/** The journal folded over a state it can go on from, as far as it goes without a gap. */
async function replay(
  { disk }: Context,
  { paths }: OpenLoop,
  base: Found | null,
): Promise<Found | null> {
  let state = base?.state;
  let revision = base?.revision ?? 0;
  for await (const entry of readJournal(disk, paths.journal)) {
    if (entry.revision <= revision) continue;
    const anew = startsAnew(entry.events[0]);
    if (!anew && (!state || entry.revision !== revision + 1)) break;
    state = stateAfter(anew ? undefined : state, entry.events);
    revision = entry.revision;
  }
  return state && revision > (base?.revision ?? 0) ? { state, revision, from: "journal" } : null;
}

function publishedState({ disk }: Context, { paths }: OpenLoop): Found | null {
  const text = disk.read(paths.document) ?? "";
  const raw = jsonOf(text);
  const state = isSealed(raw) ? stateIn(text, paths.id) : null;
  return isSealed(raw) && state ? { state, revision: raw.revision, from: "document" } : null;
}
