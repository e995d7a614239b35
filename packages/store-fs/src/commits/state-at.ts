import { evolve, type LoopEvent, type LoopState } from "@ccw-loop/core";
import type { Context, OpenLoop } from "../context.ts";
import { seal } from "./commit.ts";
import { readJournal } from "./journal.ts";

/** The state as it was at a revision; null when nobody can tell any more. */
export async function stateAt(
  { history, disk }: Context,
  { paths }: OpenLoop,
  revision: number,
): Promise<LoopState | null> {
  const stored = history.tryLoad(paths, revision);
  if (stored) return stored.commit.state;
  let state: LoopState | undefined;
  let last = 0;
  for await (const entry of readJournal(disk, paths.journal)) {
    if (entry.revision > revision) break;
    if (!state && !startsAnew(entry.events[0])) continue;
    state = stateAfter(state, entry.events);
    last = entry.revision;
  }
  return last === revision && state ? seal(state, revision) : null;
}

/** True for the events that carry a whole state. */
export function startsAnew(event: LoopEvent | undefined): boolean {
  return (
    event?.type === "loop.created" ||
    event?.type === "external.edited" ||
    event?.type === "loop.recovered"
  );
}

/** All events folded into a state that may not exist yet. */
export function stateAfter(state: LoopState | undefined, events: readonly LoopEvent[]): LoopState {
  let next = state;
  for (const event of events) next = evolve(next, event);
  if (!next) throw new TypeError("A commit without events has no state.");
  return next;
}
