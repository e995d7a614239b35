import type { LoopState } from "../state/loop-state.ts";
import { isPlain } from "../state/plain.ts";
import type { SkillState } from "../state/skill-state.ts";
import {
  changesLog,
  coverageJson,
  debugLog,
  hypothesesJson,
  testResultsJson,
} from "./data-files.ts";
import { renderDebug } from "./debug.ts";
import { renderDevelop } from "./develop.ts";
import { renderSummary } from "./summary-document.ts";
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
