import { COMMANDS } from "./commands.ts";
import { HISTORY, PROGRESS, PROOF } from "./history.ts";
import { HOST } from "./host.ts";
import { LIVE } from "./live.ts";
import { LOOPS } from "./loops.ts";
import type { Operation } from "./operation.ts";
import { SESSIONS } from "./sessions.ts";
import { TASKS } from "./tasks.ts";

export const OPERATIONS: readonly Operation[] = [
  LOOPS,
  COMMANDS,
  TASKS,
  HISTORY,
  PROOF,
  PROGRESS,
  LIVE,
  SESSIONS,
  HOST,
].flatMap((topic) => Object.values<Operation>(topic));
