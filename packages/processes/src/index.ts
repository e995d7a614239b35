export { mayLive, type ProcessIdentity, startOf, thisProcess } from "./identity.ts";
export { type Origin, originOf } from "./origin.ts";
export { TAG_VARIABLE } from "./owner-tag.ts";
export { commandLineOf, environOf, type ProcessInfo, runningProcesses } from "./process-table.ts";
export type { ProcessTree } from "./process-tree.ts";
export { type Leftover, type Processes, type ProcessesOptions, processes } from "./processes.ts";
