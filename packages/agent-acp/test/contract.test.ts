import { globSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempRepo } from "@ccw-loop/testkit";
import { type AgentHarness, type AgentTraits, describeAgent } from "@ccw-loop/testkit/contracts";
import { describe } from "vitest";
import { acpAgent, type Profile, type Sandbox } from "../src/index.ts";
import { CONTAINED, CONTAINS, expectProtocol, fakeProfile } from "./fake.ts";

const TRAITS: AgentTraits = {
  failures: [
    "agent_failed",
    "agent_unauthorized",
    "usage_limit",
    "rate_limited",
    "context_overflow",
  ],
  reportsUsage: true,
  forks: false,
  executes: false,
  steers: true,
  tellsOutput: "at once",
  tellsExitCode: true,
};

describeAgent(
  "a program that streams its output, can be steered and fails by codes",
  harnessOf(["steers", "http-codes"], { usage: "turn" }),
  TRAITS,
);

describe("as other agents behave", { tags: ["slow"] }, () => {
  describeAgent(
    "no output, no exit code, sessions that are replayed",
    harnessOf(["no-create", "loads", "usage-quota", "late", "noise"], {
      usage: "turn",
      exitCode: [],
      commandInTitle: true,
    }),
    { ...TRAITS, steers: false, tellsOutput: "never", tellsExitCode: false },
  );

  describeAgent(
    "output at the end, messages that are fetched, usage beside chunks",
    harnessOf(["output-at-end", "drains", "usage-chunks", "config-modes", "stays", "closes"], {
      usage: "chunks",
      exitCode: ["text"],
      fetchesMessages: true,
    }),
    { ...TRAITS, tellsOutput: "at the end" },
  );

  describeAgent(
    "failures in prose, usage of the session, questions that come twice",
    harnessOf(["shell-exit", "prose-failures", "usage-session", "asks-twice"], {
      usage: "session",
      exitCode: ["contents"],
      errorProse: /^Error: (.+)/s,
    }),
    { ...TRAITS, steers: false },
  );

  describeAgent(
    "typed failures, output in pieces, no questions, no usage",
    harnessOf(["delta", "typed-failures", "no-questions", "system-prompt", "no-modes"], {
      usage: "none",
      exitCode: ["terminal"],
      mode: null,
    }),
    { ...TRAITS, steers: false, reportsUsage: false },
  );
});

describe.runIf(CONTAINS)("kept to the project by bubblewrap", { tags: ["slow"] }, () => {
  describeAgent(
    "a program that leaves every process of a cancelled command alive",
    harnessOf(["steers", "http-codes"], { usage: "turn" }, CONTAINED),
    { ...TRAITS, executes: true },
  );
});

/** The fake agent with these habits, and a profile that knows them. */
function harnessOf(
  habits: string[],
  profile: Partial<Profile>,
  sandbox: Sandbox = { kind: "off" },
): () => Promise<AgentHarness> {
  return async () => {
    const repo = await tempRepo();
    const folder = join(repo.path, ".git", "fake-acp");
    await mkdir(folder);
    return {
      cwd: repo.path,
      agent: () =>
        acpAgent({
          ...{ profile: fakeProfile(folder, habits, profile), sandbox },
          limits: { closeMs: 500 },
        }),
      stage: (turn) => writeFile(join(folder, "stage.json"), JSON.stringify(turn)),
      seen: async () =>
        globSync(join(folder, "sessions/*.json"))
          .map((file) => readFileSync(file, "utf8"))
          .join("\n"),
      async [Symbol.asyncDispose]() {
        expectProtocol(folder);
        await repo.remove();
      },
    };
  };
}
