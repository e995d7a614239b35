import { describe } from "vitest";
import { describeAnswering } from "./answering.ts";
import { describeCommanding } from "./commanding.ts";
import { describeCreating } from "./creating.ts";
import { describeFollowing } from "./following.ts";
import { describeGoingBack } from "./going-back.ts";
import type { LoopServiceHarness } from "./harness.ts";
import { describeListing } from "./listing.ts";
import { describeRecovering } from "./recovering.ts";
import { describeRefusing } from "./refusing.ts";
import { describeRepeating } from "./repeating.ts";
import { describeRevisions } from "./revisions.ts";
import { describeRunning } from "./running.ts";
import { describeTasks } from "./tasks.ts";
import { serviceOf } from "./with-service.ts";

/** Executable contract of core's `LoopService`. */
export function describeLoopService(name: string, harness: LoopServiceHarness): void {
  const withService = serviceOf(harness);
  describe(`LoopService contract: ${name}`, { timeout: 60_000 }, () => {
    describeCreating(withService);
    describeListing(withService);
    describeCommanding(withService);
    describeRepeating(withService);
    describeRevisions(withService);
    describeRefusing(withService);
    describeTasks(withService);
    describeFollowing(withService);
    describeRunning(withService);
    describeAnswering(withService);
    describeGoingBack(withService);
    describeRecovering(withService);
  });
}
