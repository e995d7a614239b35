import {
  decide,
  type ErrorCode,
  evolve,
  isLoopError,
  type LoopCommand,
  type LoopState,
  type LoopStatus,
} from "@ccw-loop/core";

/** One call of one process. Times are of one clock that all processes share; only their order counts. */
export interface Operation<Input, Answer> {
  process: string;
  called: number;
  /** Null when nobody heard an answer: the process was killed, and the call may happen at any time, or never. */
  returned: number | null;
  input: Input;
  /** Undefined exactly when `returned` is null. */
  answer?: Answer | undefined;
}

/** What one thing would do if calls came one after the other. */
export interface Model<State, Input, Answer> {
  initial: State;
  /** The state after the call, or undefined when this cannot be the answer to it here; without an answer anything can. */
  next(state: State, input: Input, answer: Answer | undefined): State | undefined;
  /** The same text for states that behave alike. */
  key(state: State): string;
}

export type Verdict<Input, Answer> =
  | { linearizable: true; order: Operation<Input, Answer>[] }
  /** `longest` is the longest order that was found, and `stuck` are the calls of which none fits behind it. */
  | {
      linearizable: false;
      longest: Operation<Input, Answer>[];
      stuck: Operation<Input, Answer>[];
    };

interface Place<State> {
  state: State;
  /** Calls in the order they took effect, as positions in the sorted history. */
  order: number[];
  done: ReadonlySet<number>;
  /** Every call before this position is done. */
  low: number;
}

/**
 * Whether all these calls could have taken effect one after the other, each at some moment between its call and its
 * answer: Wing and Gong's search, which never looks twice at the same calls in the same state (Lowe's addition).
 */
export function linearize<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: Model<State, Input, Answer>,
): Verdict<Input, Answer> {
  const calls = history.toSorted((a, b) => a.called - b.called);
  const seen = new Set<string>();
  const open: Place<State>[] = [{ state: model.initial, order: [], done: new Set(), low: 0 }];
  let longest: Place<State> | undefined;
  for (let place = open.pop(); place; place = open.pop()) {
    if (!longest || place.order.length > longest.order.length) longest = place;
    if (place.order.length === calls.length) {
      return { linearizable: true, order: named(calls, place.order) };
    }
    // The earliest call is tried first, so it is laid on the stack last.
    for (const n of nextCalls(calls, place).toReversed()) {
      const { input, answer } = calls[n] as Operation<Input, Answer>;
      const state = model.next(place.state, input, answer);
      if (state === undefined) continue;
      const further = advance(place, n, state);
      const key = `${further.low} ${above(further)} ${model.key(state)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(further);
    }
  }
  const last = longest as Place<State>;
  return {
    linearizable: false,
    longest: named(calls, last.order),
    stuck: named(calls, nextCalls(calls, last)),
  };
}

/** The calls that may take effect next: not done, and made before any other that is not done had returned. */
function nextCalls<Input, Answer>(
  calls: readonly Operation<Input, Answer>[],
  { done, low }: Place<unknown>,
): number[] {
  const found: number[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (let n = low; n < calls.length; n++) {
    const { called, returned } = calls[n] as Operation<Input, Answer>;
    if (called > until) break;
    if (done.has(n)) continue;
    found.push(n);
    until = Math.min(until, returned ?? Number.POSITIVE_INFINITY);
  }
  return found;
}

function advance<State>({ order, done, low }: Place<State>, n: number, state: State): Place<State> {
  const after = new Set(done).add(n);
  let first = low;
  while (after.delete(first)) first += 1;
  return { state, order: [...order, n], done: after, low: first };
}

/** The calls that are done although an earlier one is not. */
function above({ done }: Place<unknown>): string {
  return [...done].sort((a, b) => a - b).join(",");
}

function named<Input, Answer>(
  calls: readonly Operation<Input, Answer>[],
  order: readonly number[],
): Operation<Input, Answer>[] {
  return order.map((n) => calls[n] as Operation<Input, Answer>);
}

/** What came of a command: the status it made, or the code it was refused with. */
export type LoopAnswer = { status: LoopStatus } | { refused: ErrorCode };

/** The state machine itself as the model of one loop, without any time passing. */
export function loopModel(initial: LoopState): Model<LoopState, LoopCommand, LoopAnswer> {
  const at = initial.created_at;
  return {
    initial: { ...initial, updated_at: at },
    key: (state) => JSON.stringify(state),
    next(state, command, answer) {
      const given = answer && "refused" in answer ? answer.refused : undefined;
      // Others were faster again and again, so the caller gave up: nothing was recorded.
      if (given === "revision_conflict") return state;
      try {
        const next = decide(state, command, at).reduce(evolve, state);
        if (answer === undefined) return next;
        return "status" in answer && answer.status === next.status ? next : undefined;
      } catch (error) {
        if (!isLoopError(error)) throw error;
        return answer === undefined || given === error.code ? state : undefined;
      }
    },
  };
}
