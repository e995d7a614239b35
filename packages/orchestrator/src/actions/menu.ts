import {
  commandOf,
  decide,
  isLoopError,
  type LoopCommand,
  type LoopEvent,
  type LoopState,
  type MenuChoice,
  menuOf,
  orAborted,
} from "@ccw-loop/core";
import { nowOf, type RunContext } from "../run/context.ts";

/**
 * MENU: a person chooses (seed 001). Where nobody can be asked here, the loop waits for input, which any client can
 * give. Returns when something was recorded, or the loop is not driven here any more.
 */
export async function runMenu(ctx: RunContext, state: LoopState): Promise<void> {
  const { choose } = ctx.options;
  if (!choose) {
    await ctx.recorder.record((newest) =>
      newest.status === "running" && !newest.waiting ? [waitForChoice(ctx, newest)] : null,
    );
    return;
  }
  let shown = state;
  let notice: string | undefined;
  while (shown.status === "running") {
    const { signal } = ctx.watcher;
    const answer = orAborted(choose(menuOf(shown, notice), shown), signal);
    const choice = await answer.catch((error: unknown) => {
      // The loop is taken out of our hands first, and the question is left open.
      if (signal.aborted) return undefined;
      throw error;
    });
    if (choice === undefined) return;
    notice = undefined;
    shown = (await ctx.deps.store.read(ctx.id)).state;
    const command = commandOf(choice);
    if (command === null) continue;
    try {
      await ctx.recorder.record((newest) => chosen(ctx, newest, choice, command));
      return;
    } catch (error) {
      if (!isLoopError(error, "invalid_input")) throw error;
      notice = error.message;
    }
  }
}

function chosen(
  ctx: RunContext,
  state: LoopState,
  choice: MenuChoice,
  command: LoopCommand,
): LoopEvent[] | null {
  if (state.status !== "running") return null;
  const at = nowOf(ctx);
  return [
    {
      type: "action.completed",
      at,
      action: "MENU",
      message: `Chosen: ${choice}`,
      active_ms: 0,
      output: { action: "MENU" },
    },
    ...decide(state, command, at),
  ];
}

function waitForChoice(ctx: RunContext, state: LoopState): LoopEvent {
  const { options: all, notice } = menuOf(state);
  const options = all.filter((o) => o.available && commandOf(o.key)?.type === "choose");
  return {
    type: "waiting.started",
    at: nowOf(ctx),
    waiting: {
      kind: "input",
      menu: true,
      since: nowOf(ctx),
      prompt: [...(notice === undefined ? [] : [notice]), "Choose the next action."].join(" "),
      options: options.map((o) => o.key),
    },
  };
}
