import {
  decide,
  type ErrorCode,
  evolve,
  isLoopError,
  type LoopCommand,
  type LoopState,
  type LoopStatus,
} from "@ccw-loop/core";
import type { Model } from "./check.ts";

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
