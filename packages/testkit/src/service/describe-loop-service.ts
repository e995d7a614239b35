import { describe } from "vitest";
import { describeMenu } from "./answering.ts";
import { describeCommands } from "./commanding.ts";
import { describeCreate } from "./creating.ts";
import { describeStreams } from "./following.ts";
import { describeRewind } from "./going-back.ts";
import type { LoopServiceHarness } from "./harness.ts";
import { describeList } from "./listing.ts";
import { describeRecover } from "./recovering.ts";
import { describeRefusedIds } from "./refusing.ts";
import { describeOpIds } from "./repeating.ts";
import { describeRevisions } from "./revisions.ts";
import { describeRun } from "./running.ts";
import { describeTasks } from "./tasks.ts";
import { serviceOf } from "./with-service.ts";

/** Executable contract of core's `LoopService`. */
export function describeLoopService(name: string, harness: LoopServiceHarness): void {
  const withService = serviceOf(harness);
  describe(`LoopService contract: ${name}`, { timeout: 60_000 }, () => {
    describeCreate(withService);
    describeList(withService);
    describeCommands(withService);
    describeOpIds(withService);
    describeRevisions(withService);
    describeRefusedIds(withService);
    describeTasks(withService);
    describeStreams(withService);
    describeRun(withService);
    describeMenu(withService);
    describeRewind(withService);
    describeRecover(withService);
  });
}
