/** The part of the service that is loaded when it is first asked for. */
export { runLoop } from "../run/run-loop.ts";
export { Supervisor } from "../supervisor/supervisor.ts";
export { generateTasks } from "./generate-tasks.ts";
export { rewindLoop } from "./rewind.ts";
export { portableReceipt, verifyLoop, verifyPortable } from "./verify-receipt.ts";
