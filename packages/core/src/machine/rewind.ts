import { LoopError } from "../errors.ts";
import { omit, sameValue, withoutUndefined } from "../json.ts";
import { unproven } from "../state/admit.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { Checkpoint } from "../state/workspace.ts";
import type { LoopEvent, RecordedEvent } from "./events.ts";
import { evolve } from "./evolve.ts";
import { withoutTests } from "./evolve-action.ts";
import { resetStallByOperator } from "./no-progress.ts";

/** The checkpoint of that number. Throws `invalid_input` and names the numbers that there are. */
export function checkpointOf(state: LoopState, n: number): Checkpoint {
  const all = state.checkpoints ?? [];
  const found = all.find((checkpoint) => checkpoint.n === n);
  if (found) return found;
  const last = all.at(-1);
  const known = last ? `It has ${all[0]?.n ?? 0} to ${last.n}.` : "It has none yet.";
  throw new LoopError(
    "invalid_input",
    `Loop ${state.loop_id} has no checkpoint ${n}. ${known} See: ccw-loop timeline ${state.loop_id}`,
  );
}

/**
 * The state as it was right behind a checkpoint. Old events stand in a file that others may write to: what counts as
 * proof comes back only as far as `now`, the newest state, has it too, and the tests have to run again. Throws `invalid_input` for one that a fork has from the loop it was
 * made of, but for the last, where it began; `store_corrupt` when the journal does not reach back so far.
 */
export function stateAtCheckpoint(
  recorded: Iterable<RecordedEvent>,
  { n, commit, at }: Checkpoint,
  now: LoopState,
): LoopState {
  let state: LoopState | undefined;
  let found: LoopState | undefined;
  let before: Checkpoint | undefined;
  for (const { event } of recorded) {
    state = evolve(state, event);
    const made = checkpointsOf(event);
    const isIt = (one: Checkpoint) => one.n === n && one.commit === commit && one.at === at;
    const last = made.at(-1);
    if (last && isIt(last)) found = state;
    else if (last && made.some(isIt)) before = last;
  }
  if (found) return unproven(keepTrusted(now, found));
  if (before) {
    throw new LoopError(
      "invalid_input",
      `Checkpoint ${n} is of the loop that this one was forked from. It began at checkpoint ${before.n}, and goes back no further.`,
    );
  }
  throw new LoopError(
    "store_corrupt",
    `The journal does not hold the state behind checkpoint ${n} any more, so the loop cannot go back there.`,
  );
}

/** Those that an event brings: a fork begins with all of them up to where it stands. */
function checkpointsOf(event: LoopEvent): readonly Checkpoint[] {
  if (event.type === "checkpoint.made") return [event.checkpoint];
  return event.type === "loop.created" ? (event.loop.checkpoints ?? []) : [];
}

/**
 * The state without proof that the newest one does not have. What the operator asks for is what they said last, and the
 * baseline of a loop never changes.
 */
function keepTrusted(now: LoopState, then: LoopState): LoopState {
  const isKnown = <T>(known: readonly T[] | undefined, one: T) =>
    known?.some((other) => sameValue(other, one)) ?? false;
  const receipts = now.receipts?.map(withoutTests);
  const checkpoints = now.checkpoints?.map(({ n, commit }) => ({ n, commit }));
  const vouched = {
    baseline: now.baseline,
    settings: now.settings,
    receipts: then.receipts?.filter((one) => isKnown(receipts, withoutTests(one))),
    checkpoints: then.checkpoints?.filter(({ n, commit }) => isKnown(checkpoints, { n, commit })),
    accepted: then.accepted?.filter((one) => isKnown(now.accepted, one)),
  };
  return { ...omit(then, "baseline", "settings"), ...withoutUndefined(vouched) };
}

const UNDONE = ["action", "waiting", "outcome", "completed_at", "failure_reason"] as const;

/**
 * What a loop is once it went back: `then`, but paused. What was used stays used, what the operator said since stays
 * said, the files that `leaves` names stay as they are, and the conversation begins as a copy of the one that stood
 * there.
 */
export function rewoundState(
  now: LoopState,
  then: LoopState,
  { commit, tree }: Checkpoint,
  leaves: readonly string[] = [],
): LoopState {
  const { title, description, max_iterations, tags, priority, notes, limits, settings } = now;
  const said = { title, description, max_iterations, tags, priority, notes, limits, settings };
  const next: LoopState = {
    ...omit(then, ...UNDONE, "agents"),
    ...withoutUndefined(said),
    status: "paused",
    workspace: {
      ...omit(now.workspace ?? { tree }, "outdated_runs"),
      tree,
      restoring: commit,
      ...(leaves.length > 0 ? { restoring_leaves: [...leaves] } : {}),
    },
    ...agentOf(then),
    ...limitsOfAgents(now),
  };
  if (now.usage) next.usage = { ...now.usage, consecutive_failures: 0 };
  return resetStallByOperator(next);
}

/** A new loop that begins where another one stood. */
export function forkedState(
  then: LoopState,
  { tree }: Checkpoint,
  given: { id: string; title: string; at: string; path: string; branch: string },
): LoopState {
  const { id, title, at, path, branch } = given;
  return {
    ...omit(then, ...UNDONE, "agents", "usage", "stall", "revision", "etag"),
    loop_id: id,
    title,
    status: "paused",
    created_at: at,
    updated_at: at,
    workspace: { tree, path, branch, start: then.workspace?.start },
    ...agentOf(then),
    ...limitsOfAgents(then),
  };
}

/** Conversations with other agents than the loop's own cannot be taken back, and begin anew; their limits stay. */
function limitsOfAgents({ agents = {} }: LoopState): Pick<LoopState, "agents"> {
  const known = Object.entries(agents).flatMap(([name, { limited_until }]) =>
    limited_until === undefined ? [] : [[name, { limited_until }] as const],
  );
  return known.length > 0 ? { agents: Object.fromEntries(known) } : {};
}

function agentOf({ agent }: LoopState): Pick<LoopState, "agent"> {
  if (!agent?.session_id) return agent ? { agent } : {};
  const { driver, session_id, turn_id = null } = agent;
  return { agent: { driver, session_id: null, fork_of: { session_id, turn_id } } };
}
