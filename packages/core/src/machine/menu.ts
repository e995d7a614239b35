import { withoutUndefined } from "../json.ts";
import { openTasks, tasksOf } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { LoopCommand } from "./events.ts";
import {
  isOutdated,
  outcomeOf,
  outdatedText,
  selectNextAction,
  waitsForAcceptance,
} from "./select.ts";

/** The menu of interactive mode (seed 001): what stands, and what may be chosen. */
export interface Menu {
  summary: string[];
  options: { key: MenuChoice; label: string; available: boolean; hint: string }[];
  /** Why the last choice was refused. */
  notice?: string;
}
export type MenuChoice = "develop" | "debug" | "validate" | "status" | "complete" | "exit";

/**
 * The six options of the menu, with the loop's figures. Without a `notice` it says when the last choice became
 * impossible.
 */
export function menuOf(state: LoopState, notice?: string): Menu {
  const tasks = tasksOf(state);
  const done = tasks.length - openTasks(state).length;
  const share = tasks.length === 0 ? 0 : Math.round((done / tasks.length) * 100);
  const skill = state.skill_state;
  const run = skill?.validate.runs?.at(-1);
  const failed = skill?.validate.failed_tests.length ?? 0;
  const proven = outcomeOf(state).status === "completed";
  const objected = waitsForAcceptance(state);
  const chosen = skill?.chosen_action ?? null;
  const outdated = isOutdated(state, chosen) ? outdatedText(chosen) : undefined;
  const option = (key: MenuChoice, label: string, available: boolean, hint: string) => ({
    key,
    label,
    available,
    hint,
  });
  return {
    summary: [
      `Develop: ${done}/${tasks.length} (${share} %)`,
      `Debug: ${debugLine(state)}`,
      `Validate: ${run ? (run.passed ? "PASSED" : `FAILED (${failed})`) : "not run"}`,
      `Iterations: ${state.current_iteration}/${state.max_iterations}`,
    ],
    options: [
      option("develop", "Continue development", done < tasks.length, "next open task"),
      option("debug", "Start debugging", true, "hypotheses with evidence"),
      option("validate", "Run validation", true, "the project's own tests"),
      option("status", "View progress", true, "tasks, hypotheses, last run"),
      option("complete", "Complete loop", proven || objected, completeHint(proven, objected)),
      option("exit", "Exit and save", true, "continue later"),
    ],
    ...withoutUndefined({ notice: notice ?? outdated }),
  };
}

/** The action that the rules would choose in auto mode; develop where they would choose none that the menu has. */
export function recommendedChoice({ waiting: _, ...state }: LoopState): MenuChoice {
  const skill = state.skill_state;
  const { action } = selectNextAction({
    ...state,
    ...(skill && { skill_state: { ...skill, mode: "auto" } }),
  });
  switch (action) {
    case "DEBUG":
      return "debug";
    case "VALIDATE":
      return "validate";
    case "COMPLETE":
      return "complete";
    default:
      return "develop";
  }
}

/** The command that a choice stands for; null for `status`, which only shows something. */
export function commandOf(
  choice: MenuChoice,
): Extract<LoopCommand, { type: "choose" | "exit" }> | null {
  if (choice === "status") return null;
  if (choice === "exit") return { type: "exit" };
  return { type: "choose", action: choice.toUpperCase() as Uppercase<typeof choice> };
}

function completeHint(proven: boolean, objected: boolean): string {
  if (objected) return "asks you about what speaks against the passing tests";
  return proven ? "proven" : "needs a passing validation and no open task";
}

function debugLine(state: LoopState): string {
  const debug = state.skill_state?.debug;
  if (debug?.confirmed_hypothesis) return "root cause found";
  return debug && debug.iteration > 0 ? `iteration ${debug.iteration}` : "not started";
}
