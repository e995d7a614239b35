export type { OrchestratorDeps } from "./deps.ts";
export { BUILT_IN as BUILT_IN_PROMPTS, type PromptName } from "./prompts.ts";
export type * from "./service/local-loops.ts";
export { type LoopServiceOptions, loopService, systemClock } from "./service/loop-service.ts";
