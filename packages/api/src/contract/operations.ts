import { COMMANDS } from "./commands.ts";
import { HISTORY } from "./history.ts";
import { HOST } from "./host.ts";
import { LIVE } from "./live.ts";
import { LOOPS } from "./loops.ts";
import type { Operation } from "./operation.ts";
import { PROGRESS } from "./progress.ts";
import { PROOF } from "./proof.ts";
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
