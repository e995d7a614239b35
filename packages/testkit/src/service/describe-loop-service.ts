import { describe } from "vitest";
import { describeCommands, describeTasks } from "./commands.ts";
import { type LoopServiceHarness, serviceOf } from "./harness.ts";
import { describeCreate, describeList, describeRecover } from "./loops.ts";
import { describeMenu } from "./menu.ts";
import { describeOpIds, describeRefusedIds, describeRevisions } from "./requests.ts";
import { describeRewind } from "./rewind.ts";
import { describeRun } from "./run.ts";
import { describeStreams } from "./streams.ts";

/** Executable contract of core's `LoopService`. */
export function describeLoopService(name: string, harness: LoopServiceHarness): void {
  const serviceWith = serviceOf(harness);
  const withService = serviceWith();
  const withLoop = serviceWith({ loop: true });
  const driven = serviceWith({ drives: true });
  describe(`LoopService contract: ${name}`, { timeout: 60_000 }, () => {
    describeCreate(serviceWith);
    describeList(withService);
    describeCommands(withLoop);
    describeOpIds(withService);
    describeRevisions(serviceWith);
    describeRefusedIds(driven);
    describeTasks(serviceWith);
    describeStreams(withLoop);
    describeRun(serviceWith);
    describeMenu(driven);
    describeRewind(serviceWith);
    describeRecover(withService);
  });
}
