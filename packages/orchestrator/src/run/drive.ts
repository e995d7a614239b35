import { isProven, type LoopEvent, type LoopState, selectNextAction } from "@ccw-loop/core";
import { execute } from "../actions/execute.ts";
import { runMenu } from "../actions/menu.ts";
import type { PromptLibrary } from "../prompts/library.ts";
import { nowOf, type RunContext } from "./context.ts";

/** How long to wait for a usage limit whose reset time the agent did not tell. */
const UNKNOWN_RESET_MS = 15 * 60 * 1000;

/**
 * Read → ask → do → record, until there is nothing to do here: the loop ended, was paused, or waits for a
 * person. Resuming after a crash is this same function.
 */
export async function drive(
  ctx: RunContext,
  prompts: PromptLibrary,
  options: { waitForLimits: boolean },
): Promise<LoopState> {
  await noteCrash(ctx);
  for (;;) {
    if (ctx.control.interruption) await leave(ctx);
    const { state } = await ctx.deps.store.read(ctx.id);
    if (state.waiting && state.status === "running") {
      if (ctx.control.interruption || !(await waited(ctx, state, options.waitForLimits)))
        return state;
      continue;
    }
    const { action } = selectNextAction(state);
    if (action === null || ctx.control.interruption) return state;
    if (action === "MENU") await runMenu(ctx, state);
    else if (action !== "COMPLETE" || (await treeIsAsTested(ctx, state))) {
      await execute(ctx, prompts, action);
    }
  }
}

/** An action that its process did not live to end is marked before it is repeated. */
async function noteCrash(ctx: RunContext): Promise<void> {
  await ctx.recorder.record((state) => {
    if (!state.action || state.action.interrupted !== null) return null;
    const action = state.action.name;
    return [{ type: "action.interrupted", at: nowOf(ctx), action, reason: "crash", active_ms: 0 }];
  });
}

/** The caller's signal pauses the loop, so that nobody finds it running with nobody behind it. */
async function leave(ctx: RunContext): Promise<void> {
  const { interruption } = ctx.control;
  if (interruption?.kind !== "signal") return;
  await ctx.recorder.record((state): LoopEvent[] | null =>
    state.status === "running"
      ? [{ type: "loop.paused", at: nowOf(ctx), reason: interruption.message }]
      : null,
  );
}

/** True when the wait is over and the loop goes on here. */
async function waited(ctx: RunContext, state: LoopState, waitForLimits: boolean): Promise<boolean> {
  const { waiting } = state;
  if (!waiting) return true;
  if (waiting.menu && ctx.choose) {
    await end(ctx, "menu");
    return true;
  }
  if (waiting.kind !== "usage_limit") return false;
  const until = waiting.until
    ? Date.parse(waiting.until)
    : Date.parse(waiting.since) + UNKNOWN_RESET_MS;
  const left = until - ctx.deps.clock.now().getTime();
  if (left > 0) {
    if (!waitForLimits) return false;
    await ctx.deps.clock.sleep(left, ctx.control.signal);
    if (ctx.control.interruption) return true;
  }
  await end(ctx, "reset");
  return true;
}

async function end(ctx: RunContext, reason: string): Promise<void> {
  await ctx.recorder.record((state) =>
    state.waiting ? [{ type: "waiting.ended", at: nowOf(ctx), reason }] : null,
  );
}

/** A passing receipt proves one tree only: files that changed since make the loop validate again. */
async function treeIsAsTested(ctx: RunContext, state: LoopState): Promise<boolean> {
  if (!isProven(state)) return true;
  const tree = await ctx.workspace.tree();
  if (tree === state.receipts?.at(-1)?.tree_after) return true;
  await ctx.recorder.record(() => [{ type: "workspace.measured", at: nowOf(ctx), tree }]);
  return false;
}
