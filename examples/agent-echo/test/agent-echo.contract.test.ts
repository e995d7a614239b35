/** @module-tag slow */
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processes } from "@ccw-loop/processes";
import { type AgentHarness, describeAgent } from "@ccw-loop/testkit/contracts";
import { expect, test } from "vitest";
import factory from "../src/index.ts";

describeAgent("echo", harness, {
  failures: [],
  reportsUsage: false,
  forks: false,
  executes: false,
  steers: true,
  tellsOutput: "at once",
  tellsExitCode: true,
});

/** The agent with a program that does what is staged, instead of the one that echoes. */
async function harness(): Promise<AgentHarness> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "agent-echo-")));
  const stage = join(cwd, ".workflow-stage.json");
  const program = [process.execPath, join(import.meta.dirname, "staged.ts"), stage];
  const place = { root: cwd, hidden: [], processes: processes() };
  const made = await factory.open({ ...place, options: { program } });
  return {
    cwd,
    agent: () => made,
    stage: (turn) => writeFile(stage, JSON.stringify(turn)),
    seen: async () =>
      globSync(join(cwd, ".workflow/agent-echo/*.json"))
        .map((file) => readFileSync(file, "utf8"))
        .join("\n"),
    [Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true, maxRetries: 5 }),
  };
}

test.each([[[]], [{ program: "node" }], [{ program: [1] }], [null]])(
  "options that it cannot use are refused: %j",
  async (options) => {
    const place = { root: "/", hidden: [], processes: processes() };
    const opening = (async () => factory.open({ ...place, options }))();
    await expect(opening).rejects.toMatchObject({ code: "agent_misconfigured" });
  },
);
