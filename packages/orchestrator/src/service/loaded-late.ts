/**
 * The part of the service that is loaded when it is first asked for. One module, so that a build makes one file of it: where
 * each function is imported by itself, what they share becomes five more files, which `list` reads as well.
 */
export { runLoop } from "../run/run-loop.ts";
export { Supervisor } from "../supervisor/supervisor.ts";
export { archiveLoop, restoreArchive } from "./archive.ts";
export { generateTasks } from "./generate-tasks.ts";
export { rewindLoop } from "./rewind.ts";
export { portableReceipt, verifyLoop, verifyPortable } from "./verify-receipt.ts";
