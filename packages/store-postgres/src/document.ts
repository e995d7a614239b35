import {
  errorText,
  freeze,
  invalidInput,
  isPlain,
  isValueDeeper,
  LoopError,
  LoopEvent,
  type LoopRecords,
  LoopState,
  listedOf,
  MAX_JSON_DEPTH,
  Revision,
  replay,
  requireKnownSchema,
  stateOfCommit,
  tryParseJson,
} from "@ccw-loop/core";
import { z } from "zod";

/** A loop as it is known: `no` is its row, which no other loop of its name ever has. `state` is frozen. */
export interface Head {
  no: number;
  revision: number;
  state: LoopState;
}

/** What a commit makes of a loop, as it is written down. */
export interface Draft {
  state: LoopState;
  events: string;
  document: string;
}

/** The most characters of a loop's state. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * The events that make revision `revision` out of `known`, and the state they lead to. Throws `invalid_input` for events that
 * break the schema, and for a state that would.
 */
export function draftOf(
  known: LoopState | undefined,
  revision: number,
  given: readonly LoopEvent[],
): Draft {
  const type = given.at(-1)?.type ?? "";
  try {
    if (isValueDeeper(given, MAX_JSON_DEPTH)) throw new RangeError("it is nested too deep");
    // As it is read again, and without anything that the caller may still change.
    const events = given.map((event) => LoopEvent.parse(JSON.parse(JSON.stringify(event))));
    const state = stateOfCommit(replay(events, known), revision, known);
    return { ...written(state, known), events: JSON.stringify(events) };
  } catch (error) {
    throw unfit(
      `The ${type} event does not fit the schema, or what it would make of the loop does not`,
      error,
    );
  }
}

/** The state of a loop that comes from elsewhere, with its history as commits. Throws `invalid_input` for what breaks the schema. */
export function restored({ state: given, events: recorded }: LoopRecords) {
  try {
    const revision = Revision.parse(given.revision);
    const commits: { revision: number; actor: string; at: string; events: LoopEvent[] }[] = [];
    for (const { revision: own, actor, event } of recorded) {
      if (commits.at(-1)?.revision !== own) {
        commits.push({ revision: own, actor: storable(actor), at: event.at, events: [] });
      }
      commits.at(-1)?.events.push(LoopEvent.parse(event));
    }
    return { ...written(stateOfCommit(given, revision)), revision, commits };
  } catch (error) {
    throw unfit("The loop does not fit the schema", error);
  }
}

function written(state: LoopState, known?: LoopState): Pick<Draft, "document" | "state"> {
  if (isValueDeeper(state, MAX_JSON_DEPTH, known)) throw new RangeError("it is nested too deep");
  const document = JSON.stringify(state);
  if (document.length > MOST_CHARACTERS) {
    throw new RangeError(`it would have more than ${MOST_CHARACTERS} characters`);
  }
  return { state: freeze(state), document };
}

function unfit(what: string, error: unknown): LoopError {
  const why = error instanceof z.ZodError ? invalidInput(error).message : errorText(error);
  return new LoopError("invalid_input", `${what}: ${why}`, { cause: error });
}

/**
 * A document as it was read. Throws `store_corrupt` for one that is none, or not that of this loop and revision, and
 * `store_unavailable` for what a newer version of ccw-loop wrote.
 */
export function parseDocument(id: string, revision: number, document: string): LoopState {
  const raw = tryParseJson(document);
  if (isPlain(raw)) requireKnownSchema(id, raw);
  const parsed = LoopState.safeParse(raw);
  if (!parsed.success) {
    throw damaged(id, `its state breaks the schema: ${invalidInput(parsed.error).message}`);
  }
  const state = parsed.data;
  if (state.loop_id !== id || state.revision !== revision) {
    throw damaged(id, `its state is that of loop ${state.loop_id} at revision ${state.revision}.`);
  }
  return freeze(state);
}

export function damaged(id: string, what: string): LoopError {
  return new LoopError(
    "store_corrupt",
    `Loop ${id} is damaged: ${what} See what can be saved with: ccw-loop recover ${id}`,
  );
}

export function notFound(id: string): LoopError {
  return new LoopError("loop_not_found", `Loop not found: ${id}`);
}

/** What a list is filtered and ordered by, in the order of the columns `status, tags, words, updated_at`. */
export function columnsOf(state: LoopState): unknown[] {
  const { status, tags, words, updated_at } = listedOf(state);
  return [status, tags.map(storable), storable(words), updated_at];
}

/** Whether nobody has to drive it before something arrives. */
export function isWaiting({ waiting }: LoopState): boolean {
  return waiting !== undefined;
}

/** A text as PostgreSQL can keep it: no zero character, and no half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
