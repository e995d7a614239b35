import { isLoopError, type LoopService, type LoopState } from "@ccw-loop/core";

/** The pauses between looks: whoever drives a loop gives it back within moments of its end. */
const LOOKS_MS = [10, 20, 50, 100, 200, 500, 1000, 2000, 4000];

/** The newest state once nobody drives the loop any more, or once it runs again; the given one when it is gone. */
export async function untilReleased(
  service: Pick<LoopService, "get" | "why">,
  state: LoopState,
): Promise<LoopState> {
  try {
    for (const ms of LOOKS_MS) {
      const { driven_by, action } = await service.why(state.loop_id);
      if (driven_by === null || action !== null) break;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
    return await service.get(state.loop_id);
  } catch (error) {
    if (isLoopError(error, "loop_not_found")) return state;
    throw error;
  }
}
