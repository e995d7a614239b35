/** @module-tag slow */
/** The command line as users get it, with an agent that is a command. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { builtCli } from "../support/bin.ts";
import { ownConfig } from "../support/own-module.ts";
import { PATIENCE } from "../support/processes.ts";
import { type Project, plan, stateOf } from "../support/project.ts";
import { testedProject } from "../support/tested-project.ts";

vi.setConfig({ testTimeout: 180_000 });

const FAKE = join(import.meta.dirname, "../../../agent-acp/test/fixtures/fake-acp.ts");
const REPAIR = "Repair the sum.\n\n$ sed -i 's,a - b,a + b,; s,=> a;,=> a / 2;,' src/sum.js";

/** The command whose sessions lie in the repository's own folder, as words and as `--agent` takes it. */
function commandIn({ dir }: Project): { command: string[]; homes: string[]; name: string } {
  const home = join(dir, ".git", "fake-acp");
  const command = [process.execPath, FAKE, home, "works"];
  return { command, homes: [home], name: `acp:${command.map(shellWord).join(" ")}` };
}

/** Nobody says of a command which folders are its own. */
const OFF = { CCW_LOOP_SANDBOX: "off" };

const ccwLoop = ({ dir }: Project, env: NodeJS.ProcessEnv, ...args: string[]) =>
  builtCli(dir, env, ...args);

test("--agent acp:COMMAND turns red tests green and proves it; nothing else runs the command of the state", async () => {
  await using here = await testedProject(plan);
  await using own = await ownConfig();
  const { name } = commandIn(here);
  const verify = ["--verify", "node --test"];
  const run = ["run", "--auto", ...verify, "--loop-id", "a", "--create", "--agent", name, REPAIR];
  const ran = await ccwLoop(here, { ...own.env, ...OFF }, ...run);
  expect(ran.code, ran.err + ran.out).toBe(0);
  expect(await stateOf(here, "a")).toMatchObject({
    status: "completed",
    outcome: { code: "proven" },
    settings: { agent: name },
    agent: { driver: "acp" },
  });
  expect(readFileSync(join(here.dir, "src/sum.js"), "utf8")).toContain("a + b");

  const make = ["start", ...verify, "--loop-id", "b", "--agent", name, REPAIR];
  expect(await ccwLoop(here, { ...own.env, ...OFF }, ...make)).toMatchObject({ code: 0 });
  const without = await ccwLoop(here, { ...own.env, ...OFF }, "run", "--loop-id", "b", "--json");
  expect(without.code).toBe(5);
  expect(JSON.parse(without.out).error).toMatchObject({
    code: "agent_unavailable",
    message: expect.stringMatching(
      /a command is run only where its operator names it.*--agent 'acp:/,
    ),
  });
});

test("one task each for the loop's own agent, for another one and for a command", async () => {
  await using here = await testedProject(plan);
  await using own = await ownConfig();
  const { name } = commandIn(here);
  const tools = join(here.dir, ".git", "bin");
  const script = `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(FAKE)} ${shellWord(join(here.dir, ".git", "fake-gemini"))} works\n`;
  await mkdir(tools);
  await writeFile(join(tools, "gemini"), script, { mode: 0o755 });
  const env = { ...own.env, ...OFF, PATH: `${tools}:${process.env.PATH}` };
  const of = ["--loop-id", "a", "--verify", "node --test", "--agent", name];
  expect(await ccwLoop(here, env, "start", ...of, "The sums")).toMatchObject({ code: 0 });
  const add = (text: string, ...flags: string[]) =>
    ccwLoop(here, env, "tasks", "add", "a", text, ...flags);
  await add("Repair.\n\n$ sed -i 's/a - b/a + b/' src/sum.js");
  await add("Repair.\n\n$ sed -i 's,=> a;,=> a / 2;,' src/sum.js", "--tool", "gemini");
  await add("touch made", "--tool", "bash");
  const ran = await ccwLoop(here, env, "run", "--loop-id", "a", "--agent", name);
  expect(ran.code, ran.err + ran.out).toBe(0);
  const state = await stateOf(here, "a");
  expect(state).toMatchObject({
    outcome: { code: "proven" },
    agent: { driver: "acp" },
    agents: { gemini: { driver: "gemini", session_id: expect.any(String) } },
  });
  expect(existsSync(join(here.dir, "made"))).toBe(true);
  expect(existsSync(join(here.dir, ".git", "fake-gemini", "sessions"))).toBe(true);
  expect(processesRunning(FAKE)).toEqual([]);
});

test("pause in mid-command leaves no process of the command nor of the agent; resume finishes the work", async () => {
  await using here = await testedProject(plan);
  await using own = await ownConfig();
  const { command, homes } = commandIn(here);
  await own.write({ agents: { mine: { command, homes, mode: "default" } } });
  const nap = `sleep 5${process.pid}.5`;
  const task = `${REPAIR}\n$ touch started; test -e go || setsid sh -c "trap '' TERM; ${nap}; ${nap}" & test -e go || ${nap}`;
  const flags = ["--auto", "--verify", "node --test", "--loop-id", "a", "--create"];
  const running = ccwLoop(here, own.env, "run", ...flags, "--agent", "mine", task);
  await vi.waitFor(() => {
    expect(existsSync(join(here.dir, "started"))).toBe(true);
    expect(processesRunning(nap).length).toBeGreaterThan(1);
  }, PATIENCE);
  expect(await ccwLoop(here, own.env, "pause", "a")).toMatchObject({ code: 0 });
  expect((await running).code).toBe(4);
  expect(processesRunning(nap)).toEqual([]);
  expect(processesRunning(`${FAKE} ${here.dir}`)).toEqual([]);
  expect(await stateOf(here, "a")).toMatchObject({ status: "paused", agent: { driver: "mine" } });

  await writeFile(join(here.dir, "go"), "");
  const resumed = await ccwLoop(here, own.env, "resume", "a");
  expect(resumed.code, resumed.err).toBe(0);
  expect((await stateOf(here, "a")).outcome.code).toBe("proven");
});

test("doctor tells the version of the agent, and the line that installs one that is not there", async () => {
  await using here = await testedProject(plan);
  await using own = await ownConfig();
  const { name } = commandIn(here);
  const found = await ccwLoop(here, { ...own.env, ...OFF }, "doctor", "--agent", name);
  expect(found.out).toMatch(/^ok +agent +acp 1\.2\.3 can work here\.$/m);
  const PATH = `${join(process.execPath, "..")}:/usr/bin:/bin`;
  const missing = await ccwLoop(here, { ...own.env, PATH }, "doctor", "--agent", "qwen");
  expect(missing.code).toBe(5);
  expect(missing.out).toMatch(/^problem +agent .*npm install -g @qwen-code\/qwen-code/m);
});
