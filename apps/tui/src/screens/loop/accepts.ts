import { decide, isLoopError, type LoopCommand, type LoopState } from "@ccw-loop/core";

/** Why a command would be refused now; null when it would not. The rules are those of the loop itself. */
export function refusalOf(state: LoopState, command: LoopCommand): string | null {
  try {
    decide(state, command, state.updated_at);
    return null;
  } catch (error) {
    if (isLoopError(error)) return error.message;
    throw error;
  }
}

export function accepts(state: LoopState, command: LoopCommand): boolean {
  return refusalOf(state, command) === null;
}

/** It stands at a question for a person. */
export function asksPerson({ status, waiting }: LoopState): boolean {
  return status === "running" && waiting !== undefined && waiting.kind !== "usage_limit";
}

/** A turn of the agent runs, and may be steered. */
export function turnRuns({ status, waiting, action }: LoopState): boolean {
  const isAgents = action !== undefined && ["INIT", "DEVELOP", "DEBUG"].includes(action.name);
  return status === "running" && !waiting && isAgents && action.interrupted === null;
}
