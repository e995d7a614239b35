import { isPlain } from "../json.ts";
import type { LoopEvent } from "../machine/events.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { ActionName, SkillState } from "../state/skill-state.ts";
import {
  changesLog,
  coverageJson,
  debugLog,
  hypothesesJson,
  testResultsJson,
} from "./data-files.ts";
import { renderDebug } from "./debug.ts";
import { renderDevelop } from "./develop.ts";
import { renderSummary } from "./summary.ts";
import { renderValidate } from "./validate.ts";

/** Every file of `{loopId}.progress/` that is rendered from the state. */
export const PROGRESS_FILES = [
  "develop.md",
  "debug.md",
  "validate.md",
  "summary.md",
  "changes.log",
  "debug.log",
  "hypotheses.json",
  "test-results.json",
  "coverage.json",
] as const;
export type ProgressFile = (typeof PROGRESS_FILES)[number];

type Renderer = (state: LoopState, skill: SkillState) => string | null;

const RENDERERS: Readonly<Record<ProgressFile, Renderer>> = {
  "develop.md": renderDevelop,
  "debug.md": renderDebug,
  "validate.md": renderValidate,
  "summary.md": (state, skill) => (isPlain(skill.summary) ? renderSummary(state) : null),
  "changes.log": (_, skill) => changesLog(skill),
  "debug.log": (_, skill) => debugLog(skill),
  "hypotheses.json": (_, skill) => hypothesesJson(skill),
  "test-results.json": (_, skill) => testResultsJson(skill),
  "coverage.json": (_, skill) => coverageJson(skill),
};

/**
 * The progress documents of a loop by file name, or those of them that are asked for; none before INIT, summary.md
 * once COMPLETE wrote a summary. Whatever an agent wrote is inert in them, and `parseProgress` gives the same
 * `skill_state` back.
 */
export function renderProgress(
  state: LoopState,
  wanted: (name: ProgressFile) => boolean = () => true,
): Record<string, string> {
  const { skill_state: skill } = state;
  const files: Record<string, string> = {};
  if (!skill) return files;
  for (const name of PROGRESS_FILES.filter(wanted)) {
    const text = RENDERERS[name](state, skill);
    if (text !== null) files[name] = text;
  }
  return files;
}

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
