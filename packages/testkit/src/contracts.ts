export { describeAgent } from "./agent/contract/describe-agent.ts";
export type {
  AgentHarness,
  AgentTraits,
  StagedFailure,
  StagedTurn,
} from "./agent/contract/harness.ts";
export { describeLoopService } from "./service/describe-loop-service.ts";
export type {
  LoopServiceHarness,
  OpenedService,
  ServicePorts,
} from "./service/harness.ts";
export { describeLoopStore } from "./store/contract/describe-loop-store.ts";
export { describeVerifier } from "./verifier/describe-verifier.ts";
export { describeWorkspace } from "./workspace/describe-workspace.ts";
export type { WorkspaceHarness } from "./workspace/harness.ts";
