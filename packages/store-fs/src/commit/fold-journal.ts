import { type LoopEvent, type LoopState, type RecordedEvent, replay } from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "../context.ts";
import { type JournalEntry, readJournal } from "../journal/journal.ts";
import { seal } from "./commit-form.ts";

/** What the journal makes of a loop. */
export interface Folded {
  /** The state it leads to and that revision; null when it leads nowhere beyond where it was begun. */
  found: { state: LoopState; revision: number } | null;
  /** The newest revision of which it has a whole commit. */
  newest: number;
  /** How many of its lines cannot be read. */
  unreadable: number;
}

/** The journal folded over a state it can go on from, up to a revision, as far as it goes without a gap. */
export async function foldJournal(
  { disk }: StoreContext,
  { paths }: OpenLoop,
  base: { state: LoopState; revision: number } | null,
  upTo = Number.POSITIVE_INFINITY,
): Promise<Folded> {
  let state = base?.state;
  let revision = base?.revision ?? 0;
  let whole = true;
  let newest = 0;
  let unreadable = 0;
  for await (const entry of readJournal(disk, paths.journal, () => unreadable++)) {
    newest = entry.revision;
    if (entry.revision <= revision || entry.revision > upTo) continue;
    const anew = carriesState(entry.events[0]);
    whole = anew || (whole && state !== undefined && entry.revision === revision + 1);
    if (!whole) continue;
    state = replay(entry.events, anew ? undefined : state);
    revision = entry.revision;
  }
  const more = state !== undefined && revision > (base?.revision ?? 0);
  return { found: state && more ? { state, revision } : null, newest, unreadable };
}

/** The state as it was at a revision; null when nobody can tell any more. */
export async function stateAt(
  { history, disk }: StoreContext,
  { paths }: OpenLoop,
  revision: number,
): Promise<LoopState | null> {
  const stored = history.tryLoad(paths, revision);
  if (stored) return stored.commit.state;
  let state: LoopState | undefined;
  let last = 0;
  for await (const entry of readJournal(disk, paths.journal)) {
    if (entry.revision > revision) break;
    if (!state && !carriesState(entry.events[0])) continue;
    state = replay(entry.events, state);
    last = entry.revision;
  }
  return last === revision && state ? seal(state, revision) : null;
}

/** True for the events that carry a whole state. */
export function carriesState(event: LoopEvent | undefined): boolean {
  return (
    event?.type === "loop.created" ||
    event?.type === "external.edited" ||
    event?.type === "loop.recovered"
  );
}

/** The journal is looked through again so often for what the history let go of meanwhile. */
const LOOKS = 3;

/**
 * The events of all revisions above `after` up to `newest`, in order: from the history as far as it reaches, since
 * others may write to the journal, and from the journal what the history has let go of or cannot read.
 */
export async function* eventsOf(
  { history, disk }: StoreContext,
  { paths, head }: OpenLoop,
  newest: number,
  after: number,
): AsyncIterable<RecordedEvent> {
  let last = after;
  let looks = 0;
  let journal: AsyncIterator<JournalEntry> | undefined;
  let next: JournalEntry | undefined;

  function committed(revision: number): JournalEntry | null {
    const newest = head?.stored.commit;
    return newest?.revision === revision ? newest : history.tryEvents(paths, revision);
  }

  /** What the journal tells of the revisions above the last one up to this; it is read on where it was left. */
  async function* fromJournal(upTo: number): AsyncIterable<JournalEntry> {
    while (last < upTo) {
      if (next === undefined) {
        if (!journal) {
          if (looks === LOOKS) return;
          looks += 1;
          journal = readJournal(disk, paths.journal)[Symbol.asyncIterator]();
        }
        const { done, value } = await journal.next();
        if (done) journal = undefined;
        else next = value;
        continue;
      }
      if (next.revision > upTo) return;
      if (next.revision > last) {
        last = next.revision;
        yield next;
      }
      next = undefined;
    }
  }

  try {
    for (const revision of history.between(paths, after, newest)) {
      const entry = committed(revision);
      for await (const missed of fromJournal(entry ? revision - 1 : revision))
        yield* recorded(missed);
      if (!entry) continue;
      last = revision;
      yield* recorded(entry);
    }
    for await (const missed of fromJournal(newest)) yield* recorded(missed);
  } finally {
    await journal?.return?.();
  }
}

function recorded({ revision, actor, events }: JournalEntry): RecordedEvent[] {
  return events.map((event) => ({ revision, actor, event }));
}
