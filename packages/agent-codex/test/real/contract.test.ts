/** @module-tag slow */
import type { ErrorCode } from "@ccw-loop/core";
import {
  applyPatch,
  type ModelScript,
  type ModelServer,
  type ModelStep,
  message,
  type OfflineHome,
  offlineCodexHome,
  quotaUsedUp,
  runCommand,
  startModelServer,
  tempRepo,
} from "@ccw-loop/testkit";
import {
  type AgentHarness,
  describeAgent,
  type StagedFailure,
  type StagedTurn,
} from "@ccw-loop/testkit/contracts";
import { afterAll, describe } from "vitest";
import { codexAgent } from "../../src/index.ts";
import { realCodex, withCodex } from "../harness.ts";
import { codexIn } from "../processes.ts";

const FAILURES = {
  agent_failed: () => ({ status: 500 }),
  agent_unauthorized: () => ({ status: 401 }),
  rate_limited: () => ({ status: 429 }),
  context_overflow: () => ({ failed: { code: "context_length_exceeded", message: "too long" } }),
  usage_limit: (resetsAt) => quotaUsedUp(resetsAt ?? new Date()),
} satisfies Partial<Record<ErrorCode, (resetsAt?: Date) => ModelStep>>;

describe.runIf(withCodex)("codexAgent on the real Codex", () => {
  describeAgent("codex", codexHarness, {
    failures: Object.keys(FAILURES) as StagedFailure[],
    reportsUsage: true,
    forks: true,
    executes: true,
    steers: true,
    tellsOutput: "at once",
    tellsExitCode: true,
  });
});

let shared: Promise<{ model: ModelServer; home: OfflineHome }> | undefined;

/** One model server and one Codex home for all tests: Codex takes a tenth of its time to make its database in a new one. */
async function atHome() {
  const model = await startModelServer({ script: [] });
  return { model, home: await offlineCodexHome(model.baseUrl, { streamIdleMs: 60_000 }) };
}

afterAll(async () => {
  const made = await shared;
  await Promise.all([made?.model.close(), made?.home.remove()]);
});

/** The real Codex whose model is the one thing that is staged. */
async function codexHarness(): Promise<AgentHarness> {
  shared ??= atHome();
  const { model, home } = await shared;
  const repo = await tempRepo();
  const agent = () =>
    codexAgent({
      binary: realCodex(),
      env: { ...process.env, ...home.env },
      limits: { retries: 0, rateLimitRetries: 0 },
    });
  return {
    cwd: repo.path,
    agent,
    stage: async (turn) => model.play(scriptOf(turn, repo.path)),
    seen: async () => model.requests.at(-1)?.userTexts.join("\n") ?? "",
    [Symbol.asyncDispose]: repo.remove,
  };
}

function scriptOf(turn: StagedTurn, cwd: string): ModelScript {
  const steps: ModelStep[] = [];
  if (turn.edit) {
    const lines = turn.edit.content.replace(/\n$/, "").split("\n");
    const added = lines.map((line) => `+${line}`).join("\n");
    steps.push({ items: [applyPatch(`*** Add File: ${turn.edit.path}\n${added}`)] });
  }
  // Codex tells output of the first moments only when a command ends.
  if (turn.command) steps.push({ items: [runCommand(`sleep 0.3; ${turn.command}`)] });
  return ({ index }) => steps.shift() ?? lastStep(turn, cwd, index);
}

function lastStep({ end, tokens }: StagedTurn, cwd: string, index: number): ModelStep {
  if (end === "hang") return { items: [message(`Let me see (${index}) …`)], stallAfter: 3 };
  if (end === "die") {
    process.kill(codexIn(cwd), "SIGKILL");
    return { hang: true };
  }
  if ("fail" in end) return FAILURES[end.fail](end.resetsAt);
  return { items: [message(end.answer, "final_answer")], ...(tokens ? { usage: tokens } : {}) };
}
