import { describe } from "vitest";
import { describeConversation } from "./conversation.ts";
import { describeExecuting } from "./executing.ts";
import { describeFailing } from "./failing.ts";
import { describeForking } from "./forking.ts";
import type { AgentHarness, AgentTraits } from "./harness.ts";
import { describeResuming } from "./resuming.ts";
import { describeStopping } from "./stopping.ts";
import { eachWith } from "./subject.ts";

/** The contract of core's Agent port, sentence by sentence. An agent is right when this passes. */
export function describeAgent(
  name: string,
  makeHarness: () => Promise<AgentHarness>,
  traits: AgentTraits,
): void {
  describe(`Agent contract: ${name}`, { timeout: 60_000 }, () => {
    const subject = eachWith(makeHarness);
    describeConversation(subject, traits);
    describeResuming(subject);
    describeForking(subject, traits);
    describeExecuting(subject, traits);
    describeStopping(subject);
    describeFailing(subject, traits);
  });
}
