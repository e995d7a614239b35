import type { LoopService, LoopState } from "@ccw-loop/core";
import { applyEvent, initialProgress, type Progress } from "./progress.ts";

/**
 * The progress of a loop up to now, from its journal, so that a view that comes later shows the earlier
 * iterations too. A journal that does not reach back to the beginning tells none.
 */
export async function progressSoFar(
  loops: Pick<LoopService, "events">,
  state: LoopState,
): Promise<Progress> {
  let progress: Progress | undefined;
  for await (const recorded of loops.events(state.loop_id)) {
    if (recorded.revision > (state.revision ?? 0)) break;
    if (recorded.event.type === "loop.created") progress = initialProgress(recorded.event.loop);
    else if (progress)
      progress = applyEvent(progress, { kind: "recorded", id: state.loop_id, recorded });
  }
  return { ...(progress ?? initialProgress(state)), state };
}
