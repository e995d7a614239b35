import type { LoopState } from "../state/loop-state.ts";
import { isPlain } from "../state/plain.ts";
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

/**
 * The progress documents of a loop by file name; none before INIT, summary.md once COMPLETE wrote a summary.
 * Whatever an agent wrote is inert in them, and `parseProgress` gives the same `skill_state` back.
 */
export function renderProgress(state: LoopState): Record<string, string> {
  const skill = state.skill_state;
  if (!skill) return {};
  const files: Partial<Record<ProgressFile, string>> = {
    "develop.md": renderDevelop(state, skill),
    "debug.md": renderDebug(state, skill),
    "validate.md": renderValidate(state, skill),
    "changes.log": changesLog(skill),
    "debug.log": debugLog(skill),
    "hypotheses.json": hypothesesJson(skill),
    "test-results.json": testResultsJson(skill),
    "coverage.json": coverageJson(skill),
  };
  if (isPlain(skill.summary)) files["summary.md"] = renderSummary(state);
  return files;
}
