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

type Renderer = (state: LoopState, skill: SkillState) => string | null;

const RENDERERS = {
  "develop.md": renderDevelop,
  "debug.md": renderDebug,
  "validate.md": renderValidate,
  "summary.md": (state, skill) => (isPlain(skill.summary) ? renderSummary(state) : null),
  "changes.log": (_, skill) => changesLog(skill),
  "debug.log": (_, skill) => debugLog(skill),
  "hypotheses.json": (_, skill) => hypothesesJson(skill),
  "test-results.json": (_, skill) => testResultsJson(skill),
  "coverage.json": (_, skill) => coverageJson(skill),
} satisfies Record<string, Renderer>;

export type ProgressFile = keyof typeof RENDERERS;

/** Every file of `{loopId}.progress/` that is rendered from the state. */
export const PROGRESS_FILES = Object.keys(RENDERERS) as ProgressFile[];

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

const SUMMARY: readonly ProgressFile[] = ["summary.md"];
/** debug.md tells what became of the tasks that repair a cause. */
const WORK: readonly ProgressFile[] = [...SUMMARY, "develop.md", "debug.md", "changes.log"];
const DEBUG: readonly ProgressFile[] = [...SUMMARY, "debug.md", "debug.log", "hypotheses.json"];
const VALIDATE: readonly ProgressFile[] = [...SUMMARY, "validate.md"];
const ALL: readonly ProgressFile[] = PROGRESS_FILES;

const BY_ACTION: Readonly<Record<ActionName, readonly ProgressFile[]>> = {
  INIT: ALL,
  DEVELOP: [...WORK, "validate.md"],
  DEBUG: [...WORK, ...DEBUG, "validate.md"],
  VALIDATE: ALL,
  COMPLETE: [...SUMMARY, "develop.md"],
  MENU: [...SUMMARY, "develop.md"],
};

type OtherEvent = Exclude<LoopEvent["type"], "action.completed">;

const NONE: readonly ProgressFile[] = [];

/** What an event changes; summary.md alone where it does not stand here. */
const BY_EVENT: Readonly<Partial<Record<OtherEvent, readonly ProgressFile[]>>> = {
  "loop.created": ALL,
  // A loop that is reopened has to be validated again.
  "loop.resumed": VALIDATE,
  "loop.edited": ALL,
  "loop.rewound": ALL,
  "loop.recovered": ALL,
  "external.edited": ALL,
  "task.added": WORK,
  "task.edited": WORK,
  "task.removed": WORK,
  "tasks.reordered": WORK,
  "action.chosen": [...SUMMARY, "develop.md"],
  "action.started": WORK,
  "action.failed": [...WORK, "validate.md"],
  "evidence.recorded": DEBUG,
  "workspace.measured": VALIDATE,
  "workspace.changed": VALIDATE,
  "files.left_out": VALIDATE,
  "objections.accepted": VALIDATE,
  "receipt.refused": VALIDATE,
  "agent.attached": NONE,
  "agent.limited": NONE,
  "turn.measured": NONE,
  "baseline.measured": NONE,
  "checkpoint.made": NONE,
  "worktree.made": NONE,
  "workspace.restored": NONE,
  "waiting.started": NONE,
  "waiting.ended": NONE,
};

/** The documents whose content this event may change; a superset, never too few. */
export function progressFilesChangedBy(event: LoopEvent): readonly string[] {
  if (event.type === "action.completed") return BY_ACTION[event.output.action];
  return BY_EVENT[event.type] ?? SUMMARY;
}
