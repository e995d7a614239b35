import { LoopState, tryParseJson } from "@ccw-loop/core";
import { isSealed } from "../commits/commit.ts";
import { isNearTheEnd } from "../commits/revision-names.ts";
import { foldJournal } from "../commits/state-at.ts";
import type { OpenLoop, StoreContext } from "../context.ts";
import { stateIn } from "../foreign/take-in.ts";

/** A state that some file tells whole. */
export interface Found {
  state: LoopState;
  revision: number;
}

/** What is left of a loop's files. */
export interface Remains {
  /** The newest state of the history, which alone is believed; null when none can be read. */
  known: Found | null;
  /** A newer state that the journal or the state file tells, if any. */
  told: (Found & { from: "journal" | "state file" }) | null;
  /** Revisions whose files cannot be read, the oldest first. */
  damaged: number[];
  /** How many lines of the journal cannot be read. */
  unreadable: number;
  /** As far as one can tell, no commit was ever given a higher number; what only a name says is not believed of the last. */
  highest: number;
}

const BATCH = 32;

/**
 * Looks at history, journal and published document. Where the history has names, nobody else tells how far it went:
 * journal and document fill in what cannot be read of it, and no more. Of a history with more files than a loop
 * leaves, the older ones are not looked at once the newest that can be read is found.
 */
export async function remainsOf(context: StoreContext, loop: OpenLoop): Promise<Remains> {
  const { known, damaged } = await lookThrough(context, loop);
  const named = damaged.findLast((revision) => !isNearTheEnd(revision)) ?? 0;
  const last = Math.max(known?.revision ?? 0, named);
  const upTo = last > 0 ? last : Number.POSITIVE_INFINITY;
  const { found, newest, unreadable } = await foldJournal(context, loop, known, upTo);
  const journal = found && LoopState.safeParse(found.state).success ? found : null;
  let told: Remains["told"] = journal && { ...journal, from: "journal" };
  const document = publishedState(context, loop);
  const isNewer = (document?.revision ?? 0) > (told ?? known ?? { revision: 0 }).revision;
  if (document && isNewer && document.revision <= upTo) told = { ...document, from: "state file" };
  const highest = last > 0 ? last : Math.max(newest, told?.revision ?? 0);
  return { known, told, damaged, unreadable, highest };
}

/** The newest commit that can be read, and those that cannot. */
async function lookThrough(
  { history, machine }: StoreContext,
  { paths }: OpenLoop,
): Promise<Pick<Remains, "known" | "damaged">> {
  const recent = new Set(history.recent(paths));
  const damaged: number[] = [];
  let known: Found | null = null;
  for (const [n, revision] of history.revisions(paths).toReversed().entries()) {
    if (known && !recent.has(revision)) break;
    if (n % BATCH === BATCH - 1) await machine.turn();
    const state = history.tryLoad(paths, revision)?.commit.state;
    if (!state) damaged.push(revision);
    else known ??= { state, revision };
  }
  return { known, damaged: damaged.reverse() };
}

function publishedState({ disk }: StoreContext, { paths }: OpenLoop): Found | null {
  const text = disk.read(paths.document) ?? "";
  const raw = tryParseJson(text);
  const state = isSealed(raw) ? stateIn(text, paths.id) : null;
  return isSealed(raw) && state ? { state, revision: raw.revision } : null;
}
