import { COMMAND_OPERATIONS } from "./commands.ts";
import { HISTORY_OPERATIONS } from "./history.ts";
import { HOST_OPERATIONS } from "./host.ts";
import { LIVE_OPERATIONS } from "./live.ts";
import { LOOP_OPERATIONS } from "./loops.ts";
import type { Operation } from "./operation.ts";
import { PROGRESS_OPERATIONS } from "./progress.ts";
import { PROOF_OPERATIONS } from "./proof.ts";
import { TASK_OPERATIONS } from "./tasks.ts";

/** Everything that can be asked over HTTP. */
export const OPERATIONS: readonly Operation[] = [
  ...LOOP_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...TASK_OPERATIONS,
  ...HISTORY_OPERATIONS,
  ...PROOF_OPERATIONS,
  ...PROGRESS_OPERATIONS,
  ...LIVE_OPERATIONS,
  ...HOST_OPERATIONS,
];
