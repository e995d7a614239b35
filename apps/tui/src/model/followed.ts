import type { LiveEvent } from "@ccw-loop/core";
import { applyEvent, type Progress } from "@ccw-loop/view";
import { appended, emptyLog } from "./agent-log.ts";
import type { Message } from "./message.ts";
import type { FollowedLoop } from "./model.ts";
import { type Runs, withRun } from "./runs.ts";

/** A loop that is to be followed, before anything of it is read. */
export function newFollowedLoop(id: string): FollowedLoop {
  return { id, progress: null, log: emptyLog, passRates: [], coverage: [], gone: null };
}

/** With its past. The agent's lines stay when it is read again after a gap. */
export function withPast(
  before: FollowedLoop,
  { progress, passRates, coverage }: Extract<Message, { type: "opened" }>,
): FollowedLoop {
  return { ...before, progress, passRates, coverage, gone: null };
}

/** With what happened since. */
export function withEvents(
  before: FollowedLoop,
  { events, leftOut }: Extract<Message, { type: "happened" }>,
): FollowedLoop {
  if (before.progress === null) return before;
  const facts = events.filter((event) => event.kind === "recorded");
  const runs = facts.reduce<Runs>((known, { recorded }) => withRun(known, recorded.event), before);
  return {
    ...before,
    progress: facts.reduce<Progress>(applyEvent, before.progress),
    log: appended(before.log, activityOf(events), leftOut),
    passRates: runs.passRates,
    coverage: runs.coverage,
  };
}

function activityOf(events: readonly LiveEvent[]) {
  return events.flatMap((event) => (event.kind === "activity" ? [event.activity] : []));
}
