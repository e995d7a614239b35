import "./require-node.ts";

export type { OrchestratorDeps } from "./deps.ts";
export type * from "./service/local-loops.ts";
export { type LoopServiceOptions, loopService, systemClock } from "./service/loop-service.ts";
