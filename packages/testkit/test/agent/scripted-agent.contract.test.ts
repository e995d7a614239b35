import { describeAgent } from "../../src/contracts.ts";
import { scriptedHarness } from "./scripted-harness.ts";

describeAgent("scripted", scriptedHarness, {
  failures: [
    "agent_failed",
    "agent_unauthorized",
    "usage_limit",
    "rate_limited",
    "context_overflow",
  ],
  reportsUsage: true,
  forks: true,
  executes: true,
  steers: true,
  tellsOutput: "at once",
  tellsExitCode: true,
});
