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
