import type { RecordedEvent } from "@ccw-loop/core";
import type { OpenLoop, StoreContext } from "../context.ts";
import { entryOf, type JournalEntry, readJournal } from "./journal.ts";

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

  function committed(revision: number): JournalEntry | undefined {
    if (head?.stored.commit.revision === revision) return entryOf(head.stored.commit);
    const commit = history.tryEvents(paths, revision);
    return commit ? entryOf(commit) : undefined;
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
