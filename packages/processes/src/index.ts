export type { ProcessTree } from "./family.ts";
export { mayLive, type ProcessIdentity, startOf, thisProcess } from "./identity.ts";
export { TAG_VARIABLE } from "./mark.ts";
export { type Origin, originOf } from "./origin.ts";
export { type Leftover, type Processes, type ProcessesOptions, processes } from "./processes.ts";
export { commandLineOf, environOf, type ProcessInfo, runningProcesses } from "./table.ts";
