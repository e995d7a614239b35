export { systemClock } from "./clock.ts";
export type { OrchestratorDeps } from "./deps.ts";
export { BUILT_IN as BUILT_IN_PROMPTS, type PromptName } from "./prompts/built-in.ts";
export type * from "./service/local-loops.ts";
export { type LoopServiceOptions, loopService } from "./service/local-service.ts";
