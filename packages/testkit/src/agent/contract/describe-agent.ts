import { describe } from "vitest";
import { describeConversation } from "./conversation.ts";
import { describeExec } from "./executing.ts";
import { describeFailures } from "./failing.ts";
import { describeFork } from "./forking.ts";
import type { AgentHarness, AgentTraits } from "./harness.ts";
import { describeResume } from "./resuming.ts";
import { describeAbortAndClose } from "./stopping.ts";
import { setUpEach } from "./subject.ts";

/** The contract of core's Agent port, sentence by sentence. An agent is right when this passes. */
export function describeAgent(
  name: string,
  makeHarness: () => Promise<AgentHarness>,
  traits: AgentTraits,
): void {
  describe(`Agent contract: ${name}`, { timeout: 60_000 }, () => {
    const subject = setUpEach(makeHarness);
    describeConversation(subject, traits);
    describeResume(subject);
    describeFork(subject, traits);
    describeExec(subject, traits);
    describeAbortAndClose(subject);
    describeFailures(subject, traits);
  });
}
