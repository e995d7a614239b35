import type { LoopState } from "../state/loop-state.ts";
import type { LiveEvent } from "./loop-service.ts";

/**
 * Is told of the loops that this process drives: to call people, to send traces. No loop waits for it or is changed by it;
 * what it throws is dropped. What it wants to know beside that it reads from the store.
 */
export interface LoopObserver {
  /**
   * A loop was claimed, that stood so when it was last read. Events with a revision above this one follow, and none of
   * this process is recorded before this returns.
   */
  begin(before: LoopState, revision: number): void;
  /** What the loop records and does, in order; also what others record meanwhile. */
  event(live: LiveEvent): void;
  /** The loop is not driven here any more. */
  end(id: string): void;
}
