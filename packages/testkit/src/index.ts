export type { AgentScriptInput } from "./agent/script-schema.ts";
export { ONE_TASK } from "./agent/script-schema.ts";
export { type ScriptedAgentOptions, scriptedAgent } from "./agent/scripted-agent.ts";
export { type FakeClock, fakeClock } from "./clock/fake-clock.ts";
export {
  type DiskCall,
  type DiskFault,
  deathByChance,
  type FaultableDisk,
  type FaultPlan,
  faultByChance,
  faultyDisk,
  OS_ERRORS,
  osError,
  READ_CALLS,
} from "./faults/faulty-disk.ts";
export {
  type PlannedAgentOptions,
  plannedAgent,
  type RunningTurn,
  type TurnPlan,
} from "./faults/planned-agent.ts";
export { type Random, seededRandom } from "./faults/random.ts";
export { type GitServer, type GitServerOptions, gitServer } from "./git-server.ts";
export { cartModel } from "./model-server/cart-model.ts";
export type { ModelRequest, ModelScript, ModelStep } from "./model-server/script.ts";
export {
  applyPatch,
  type ModelItem,
  message,
  quotaUsedUp,
  runCommand,
} from "./model-server/script.ts";
export { type ModelServer, startModelServer } from "./model-server/server.ts";
export { isAlive, processesRunning } from "./process/commands.ts";
export { needTmux, works } from "./process/works.ts";
export { memoryStore } from "./store/memory-store.ts";
export {
  type OfflineHome,
  type OfflineHomeOptions,
  offlineCodexHome,
  type TempRepo,
  tempRepo,
} from "./temp-folders.ts";
export { passingVerifier, sampleVerification } from "./verifier/samples.ts";
export { folderWorkspace } from "./workspace/folder-workspace.ts";
export { memoryClaims, memoryWorkspace } from "./workspace/memory-workspace.ts";
