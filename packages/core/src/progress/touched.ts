import type { LoopEvent } from "../machine/events.ts";
import type { ActionName } from "../state/skill-state.ts";
import { PROGRESS_FILES, type ProgressFile } from "./render.ts";

const ALL: readonly ProgressFile[] = PROGRESS_FILES;
/** debug.md tells what became of the tasks that repair a cause. */
const DEVELOP: readonly ProgressFile[] = ["develop.md", "changes.log", "debug.md", "summary.md"];
const DEBUG: readonly ProgressFile[] = ["debug.md", "debug.log", "hypotheses.json"];
const VALIDATE: readonly ProgressFile[] = ["validate.md", "summary.md"];

const BY_ACTION: Readonly<Record<ActionName, readonly ProgressFile[]>> = {
  INIT: ALL,
  DEVELOP: [...DEVELOP, "validate.md"],
  DEBUG: [...DEVELOP, "validate.md", ...DEBUG],
  VALIDATE: ALL,
  COMPLETE: ["develop.md", "summary.md"],
  MENU: ["develop.md", "summary.md"],
};

/** The documents whose content this event may change; a superset, never too few. */
export function progressFilesChangedBy(event: LoopEvent): string[] {
  return [...filesOf(event)];
}

function filesOf(event: LoopEvent): readonly ProgressFile[] {
  switch (event.type) {
    case "loop.created":
    case "loop.edited":
    case "external.edited":
    case "loop.recovered":
    case "loop.rewound":
      return ALL;
    case "loop.started":
    case "loop.paused":
    case "loop.stopped":
    case "loop.exited":
    case "loop.completed":
    case "loop.failed":
    case "turn.completed":
    case "action.interrupted":
      return ["summary.md"];
    case "task.added":
    case "task.edited":
    case "task.removed":
    case "tasks.reordered":
    case "action.started":
      return DEVELOP;
    case "action.chosen":
      return ["develop.md"];
    case "action.completed":
    case "action.failed":
      return event.type === "action.failed"
        ? [...DEVELOP, "validate.md"]
        : BY_ACTION[event.output.action];
    case "workspace.measured":
    case "workspace.changed":
    case "files.left_out":
    case "objections.accepted":
    case "receipt.refused":
    // A loop that is reopened has to be validated again.
    case "loop.resumed":
      return VALIDATE;
    case "evidence.recorded":
      return [...DEBUG, "summary.md"];
    case "agent.attached":
    case "turn.measured":
    case "baseline.measured":
    case "checkpoint.made":
    case "worktree.made":
    case "workspace.restored":
    case "waiting.started":
    case "waiting.ended":
      return [];
  }
}
