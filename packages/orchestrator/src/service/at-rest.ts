import { LoopError } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

/** Whoever drives a loop gives it back within moments of its end; so long it is waited for. */
const RELEASE_WAIT_MS = 2000;
const LOOK_EVERY_MS = 50;

/** Throws `loop_busy` when somebody drives the loop and does not let go of it. */
export async function requireReleased(
  { store, clock }: OrchestratorDeps,
  id: string,
): Promise<void> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const owner = await store.ownerOf(id);
    if (owner === null) return;
    if (waited >= RELEASE_WAIT_MS) {
      throw new LoopError("loop_busy", `Loop ${id} is still being driven by ${owner}. Try again.`);
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}
