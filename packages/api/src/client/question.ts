import {
  ActionName,
  isLoopError,
  type LoopService,
  type LoopState,
  menuOf,
  type RunOptions,
} from "@ccw-loop/core";

/**
 * Has somebody choose from the menu until a choice was taken. Null when the question became pointless meanwhile: the
 * loop waits no more, or is gone.
 */
export async function answerMenu(
  service: Pick<LoopService, "get" | "send">,
  asked: LoopState,
  choose: NonNullable<RunOptions["choose"]>,
): Promise<LoopState | null> {
  const { loop_id: id } = asked;
  let state = asked;
  let notice: string | undefined;
  for (;;) {
    const choice = await choose(menuOf(state, notice), state);
    notice = undefined;
    state = await service.get(id);
    if (state.status !== "running" || !state.waiting?.menu) return null;
    if (choice === "status") continue;
    const action = ActionName.safeParse(choice.toUpperCase());
    try {
      const command = action.success
        ? ({ type: "choose", action: action.data } as const)
        : ({ type: "exit" } as const);
      return await service.send(id, command, { revision: state.revision });
    } catch (error) {
      if (isLoopError(error, "invalid_transition", "revision_conflict")) return null;
      if (!isLoopError(error, "invalid_input")) throw error;
      notice = error.message;
    }
  }
}
