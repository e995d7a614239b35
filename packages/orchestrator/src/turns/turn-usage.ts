import { type LoopState, limitReached, type TokenUsage } from "@ccw-loop/core";
import type { Execution } from "../actions/action.ts";
import { Interruption } from "../run/control.ts";

/** What the running turn has used up to now. */
export interface TurnUsage {
  /** Null while the agent has reported nothing. */
  readonly last: TokenUsage | null;
  update(usage: TokenUsage): void;
}

/** Cuts the turn off with an Interruption as soon as it has used up what the loop may use. */
export function turnUsage({ ctx, state }: Execution, abort: (reason: unknown) => void): TurnUsage {
  let last: TokenUsage | null = null;
  let looking = false;
  /** An operator may have raised the limit since the action began. */
  const lookAgain = async () => {
    const { state: newest } = await ctx.deps.store.read(ctx.id);
    const limit = last && limitReached(withTurn(ctx.recorder.upToDate(newest), last));
    if (limit) abort(new Interruption("limit", limit.message));
  };
  return {
    get last() {
      return last;
    },
    update(usage) {
      last = usage;
      if (looking || !limitReached(withTurn(ctx.recorder.upToDate(state), usage))) return;
      looking = true;
      // A store that cannot be read is the watch's to judge.
      void lookAgain()
        .catch(() => undefined)
        .finally(() => {
          looking = false;
        });
    },
  };
}

/** The state as if the turn ended here: its tokens and money count, its number does not yet. */
function withTurn(state: LoopState, { total_tokens, cost_usd }: TokenUsage): LoopState {
  const { usage } = state;
  const before = { turns: 0, active_ms: 0, input_tokens: 0, cached_input_tokens: 0 };
  const rest = { output_tokens: 0, total_tokens: 0, consecutive_failures: 0 };
  const used = { ...before, ...rest, ...usage };
  return {
    ...state,
    usage: {
      ...used,
      total_tokens: used.total_tokens + total_tokens,
      ...(cost_usd === undefined ? {} : { cost_usd: (used.cost_usd ?? 0) + cost_usd }),
    },
  };
}
