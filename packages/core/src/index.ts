export * from "./errors.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./machine/commands.ts";
export * from "./machine/decide.ts";
export * from "./machine/events.ts";
export * from "./machine/evolve.ts";
export * from "./machine/exit-code.ts";
export * from "./machine/go-back.ts";
export { reopenCommand } from "./machine/go-on.ts";
export * from "./machine/limits.ts";
export * from "./machine/menu.ts";
export {
  noProgressWaiting,
  type StallLevel,
  stallLevelOf,
  stallText,
} from "./machine/no-progress.ts";
export * from "./machine/require-open.ts";
export * from "./machine/select.ts";
export * from "./op-id.ts";
export * from "./ports/agent.ts";
export * from "./ports/clock.ts";
export type * from "./ports/loop-service.ts";
export * from "./ports/process-scope.ts";
export * from "./ports/store.ts";
export * from "./ports/verifier.ts";
export * from "./ports/workspace.ts";
export { openIssues, recommendations } from "./progress/issues.ts";
export { durationText } from "./progress/numbers.ts";
export * from "./progress/parse.ts";
export * from "./progress/render.ts";
export { clip, safeJson, visible } from "./progress/safe-text.ts";
export { buildSummary, type LoopSummary } from "./progress/summary.ts";
export { renderSummary } from "./progress/summary-document.ts";
export * from "./progress/task-lines.ts";
export * from "./progress/timeline.ts";
export * from "./progress/touched.ts";
export * from "./proof/changed-lines.ts";
export * from "./proof/compare.ts";
export * from "./proof/inside-tests.ts";
export * from "./proof/judge-run.ts";
export * from "./proof/objections.ts";
export * from "./proof/owed.ts";
export * from "./proof/patterns.ts";
export * from "./proof/predictions.ts";
export * from "./proof/roles.ts";
export { maskRust } from "./proof/rust-text.ts";
export * from "./proof/square.ts";
export * from "./proof/test-ids.ts";
export * from "./protocol/action-result.ts";
export * from "./protocol/debug-updates.ts";
export * from "./protocol/format-result.ts";
export * from "./protocol/output-schema.ts";
export * from "./protocol/parse-result.ts";
export { type Repetition, repetitionText } from "./protocol/repetition.ts";
export * from "./protocol/updates.ts";
export * from "./shell-word.ts";
export * from "./state/admit.ts";
export * from "./state/baseline.ts";
export {
  Epoch,
  LAST_EPOCH,
  LAST_REVISION,
  LeaseMs,
  MAX_LIMITS,
  Revision,
  requireLeaseMs,
} from "./state/bounds.ts";
export * from "./state/checkpoint.ts";
export * from "./state/derived.ts";
export * from "./state/failing-tests.ts";
export * from "./state/hypothesis.ts";
export * from "./state/list-order.ts";
export * from "./state/loop-state.ts";
export { canonicalAction } from "./state/older-spellings.ts";
export { parseChanged } from "./state/parse-changed.ts";
export {
  Condition,
  Prediction,
  PredictionOutcome,
  predictionText,
  Relation,
} from "./state/prediction.ts";
export * from "./state/read.ts";
export * from "./state/receipt.ts";
export * from "./state/skill-state.ts";
export * from "./state/square.ts";
export * from "./state/stall.ts";
export * from "./state/task.ts";
export * from "./state/tasks.ts";
export * from "./state/test-run.ts";
export * from "./state/time.ts";
export * from "./state/workspace.ts";
export * from "./system-failure.ts";
