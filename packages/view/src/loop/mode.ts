import type { LoopState, Mode } from "@ccw-loop/core";

/** Who chooses the actions of this loop: the rules (`auto`), or a person at the menu. */
export function modeOf(state: LoopState): Mode {
  return state.skill_state?.mode ?? state.settings?.mode ?? "interactive";
}
