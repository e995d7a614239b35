export * from "./errors.ts";
export * from "./ids.ts";
export {
  brokenBound,
  freeze,
  isPlain,
  isTextDeeper,
  isValueDeeper,
  MAX_JSON_DEPTH,
  ndjsonObjects,
  ownOf,
  type Plain,
  tryParseJson,
  withoutUndefined,
} from "./json.ts";
export { KeyedQueue } from "./keyed-queue.ts";
export * from "./machine/agents.ts";
export {
  ACCEPTED_FROM,
  decide,
  TEST_ANSWERS,
  type TestAnswer,
  testAnswer,
} from "./machine/decide.ts";
export { requireNoBashTask } from "./machine/decide-tasks.ts";
export * from "./machine/events.ts";
export * from "./machine/evolve.ts";
export * from "./machine/limits.ts";
export * from "./machine/loop-summary.ts";
export * from "./machine/menu.ts";
export { noProgressWaiting, stallLevelOf, stallText } from "./machine/no-progress.ts";
export {
  agentFlag,
  raisedBounds,
  reopenCommand,
  requireAtRest,
  requireOpen,
} from "./machine/reopen.ts";
export * from "./machine/rewind.ts";
export * from "./machine/select.ts";
export * from "./ports/agent.ts";
export * from "./ports/clock.ts";
export * from "./ports/live-events.ts";
export * from "./ports/loop-service.ts";
export * from "./ports/repositories.ts";
export * from "./ports/store.ts";
export * from "./ports/verifier.ts";
export * from "./ports/workspace.ts";
export { type ParsedProgress, parseProgress } from "./progress/data-part.ts";
export * from "./progress/render.ts";
export * from "./progress/summary.ts";
export * from "./progress/task-lines.ts";
export * from "./progress/timeline.ts";
export { reviewLines } from "./progress/validate.ts";
export * from "./proof/changed-lines.ts";
export { fileOfFailedAssertion } from "./proof/failed-assertion.ts";
export * from "./proof/in-source-tests.ts";
export * from "./proof/judge-run.ts";
export { isNewManifest, withAdditions } from "./proof/manifests.ts";
export * from "./proof/objections.ts";
export * from "./proof/predictions.ts";
export { pointsAt, refersTo } from "./proof/references.ts";
export * from "./proof/reviews.ts";
export * from "./proof/roles.ts";
export { maskRust } from "./proof/rust-text.ts";
export * from "./proof/square.ts";
export * from "./proof/test-ids.ts";
export {
  ActionResult,
  ActionStatus,
  type ParsedActionResult,
} from "./protocol/action-result.ts";
export { type Repetition, repetitionText } from "./protocol/hypotheses.ts";
export * from "./protocol/output-schema.ts";
export { parseActionResult } from "./protocol/parse-result.ts";
export { parseReview, type ReviewAnswer } from "./protocol/review.ts";
export * from "./protocol/updates.ts";
export * from "./state/admit.ts";
export {
  addUsage,
  failingTests,
  modeOf,
  openTasks,
  statusText,
  statusWord,
  tasksOf,
  withStaleProof,
  withTasks,
} from "./state/derived.ts";
export * from "./state/hypothesis.ts";
export * from "./state/loop-state.ts";
export {
  canonicalAction,
  parseChanged,
  readLoopState,
  requireKnownSchema,
  stateOfCommit,
} from "./state/read.ts";
export * from "./state/receipt.ts";
export { Label, LoopRepository, protocolOf } from "./state/repository.ts";
export {
  Epoch,
  LAST_EPOCH,
  LAST_REVISION,
  LeaseMs,
  MAX_LIMITS,
  Revision,
  requireLeaseMs,
  Timestamp,
} from "./state/scalars.ts";
export * from "./state/skill-state.ts";
export * from "./state/task.ts";
export * from "./state/test-run.ts";
export * from "./state/workspace.ts";
export * from "./system-failure.ts";
export { clip, counted, durationText, firstOf, safeJson, shellWord, visible } from "./text.ts";
