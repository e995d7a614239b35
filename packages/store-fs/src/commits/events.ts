import type { RecordedEvent } from "@ccw-loop/core";
import type { Context, OpenLoop } from "../context.ts";
import { entryOf, type JournalEntry, readJournal } from "./journal.ts";

/**
 * The events of all revisions above `after` up to `newest`, in order: from the journal, and from the history
 * where the journal does not tell of them yet, or not any more.
 */
export async function* eventsOf(
  context: Context,
  { paths }: OpenLoop,
  newest: number,
  after: number,
): AsyncIterable<RecordedEvent> {
  let last = after;
  // What the history lets go of while it is read is in the journal by then.
  for (let tries = 0; tries < 3 && last < newest; tries++) {
    for await (const entry of readJournal(context.disk, paths.journal)) {
      if (entry.revision <= last) continue;
      if (entry.revision > newest) break;
      yield* fromHistory(entry.revision - 1);
      yield* recorded(entry);
      last = entry.revision;
    }
    yield* fromHistory(newest);
  }

  function* fromHistory(upTo: number): Iterable<RecordedEvent> {
    for (const revision of context.history.between(paths, last, upTo)) {
      const stored = context.history.tryLoad(paths, revision);
      if (!stored) continue;
      yield* recorded(entryOf(stored.commit));
      last = revision;
    }
  }
}

function recorded({ revision, actor, events }: JournalEntry): RecordedEvent[] {
  return events.map((event) => ({ revision, actor, event }));
}
