export { ONE_TASK } from "./agent/one-task.ts";
export type { AgentScriptInput } from "./agent/script-schema.ts";
export { type ScriptedAgentOptions, scriptedAgent } from "./agent/scripted-agent.ts";
export { type FakeClock, fakeClock } from "./clock/fake-clock.ts";
export {
  type OfflineHome,
  type OfflineHomeOptions,
  offlineCodexHome,
} from "./codex-home/offline-home.ts";
export { type TempRepo, tempRepo } from "./codex-home/temp-repo.ts";
export { deathByChance, type FaultPlan, faultByChance } from "./faults/fault-plan.ts";
export {
  type DiskCall,
  type DiskFault,
  type FaultableDisk,
  faultyDisk,
  READ_CALLS,
} from "./faults/faulty-disk.ts";
export { OS_ERRORS, osError } from "./faults/os-error.ts";
export {
  type PlannedAgentOptions,
  plannedAgent,
  type RunningTurn,
  type TurnPlan,
} from "./faults/planned-agent.ts";
export { type Random, seededRandom } from "./faults/random.ts";
export { cartModel } from "./model-server/cart-model.ts";
export {
  applyPatch,
  customCall,
  functionCall,
  type ModelItem,
  message,
  reasoning,
  runCommand,
} from "./model-server/items.ts";
export type { ModelRequest, ModelScript, ModelStep } from "./model-server/script.ts";
export { type ModelServer, startModelServer } from "./model-server/server.ts";
export { isAlive, processesRunning } from "./process/living.ts";
export { needTmux, works } from "./process/works.ts";
export { memoryStore } from "./store/memory-store.ts";
export { passingVerifier } from "./verifier/passing-verifier.ts";
export { sampleVerification } from "./verifier/sample-verification.ts";
export { folderWorkspace } from "./workspace/folder-workspace.ts";
export { memoryWorkspace, textWorkspace } from "./workspace/memory-workspace.ts";
