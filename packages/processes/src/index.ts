export { originOf } from "./origin.ts";
export { type OutputTail, outputTail } from "./output-tail.ts";
export { TAG_VARIABLE } from "./owner-tag.ts";
export {
  commandLineOf,
  environOf,
  type ProcessInfo,
  runningProcesses,
  ticksNow,
} from "./process-table.ts";
export type { ProcessTree } from "./process-tree.ts";
export { type Leftover, type Processes, processes } from "./processes.ts";
export { checkInterval, SessionWork } from "./session-work.ts";
