import { LoopError } from "../errors.ts";
import { statusText } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import { reopenCommand } from "./go-on.ts";

/** Throws `invalid_transition` for a running loop; `act` is what only happens to one at rest, as `delete`. */
export function requireAtRest({ status, loop_id }: LoopState, act: string): void {
  if (status !== "running") return;
  throw new LoopError(
    "invalid_transition",
    `Cannot ${act} running loop ${loop_id}. Pause it first: ccw-loop pause ${loop_id}`,
    { details: { status } },
  );
}

/** Throws `invalid_transition` for a loop that has ended: it has to be reopened before it can be run. */
export function requireOpen(state: LoopState): void {
  if (state.status !== "failed" && state.status !== "completed") return;
  throw new LoopError(
    "invalid_transition",
    `Loop ${state.loop_id} has ended: ${statusText(state)}. Reopen it with: ${reopenCommand(state)}`,
    { details: { status: state.status, outcome: state.outcome?.code ?? null } },
  );
}
