/** @module-tag slow */
/** The command line as users get it, with an agent that is registered and not compiled in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { builtCli } from "../support/bin.ts";
import { ownConfig, put } from "../support/own-module.ts";
import { type Project, plan, project, stateOf } from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

const examples = join(import.meta.dirname, "../../../../examples");
const ECHO = join(examples, "agent-echo/src/index.ts");
const TASK = "Find the answer.\n\n$ printf 42 > answer";

const ccwLoop = ({ dir }: Project, env: NodeJS.ProcessEnv, ...args: string[]) =>
  builtCli(dir, env, ...args);

test("an agent of --agent, a TypeScript module of another package, proves the work; its path in the state is loaded by nobody else", async () => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const ccw = (...args: string[]) => ccwLoop(here, own.env, ...args);
  const make = ["start", "--verify", "node check.mjs", "--agent", ECHO, "--loop-id", "a", TASK];
  expect(await ccw(...make)).toMatchObject({ code: 0 });
  expect((await stateOf(here, "a")).settings.agent).toBe(ECHO);

  const without = await ccw("run", "--loop-id", "a", "--json");
  expect(without.code).toBe(5);
  expect(JSON.parse(without.out).error).toMatchObject({
    code: "agent_unavailable",
    message: expect.stringMatching(/Name it again with: --agent .*index\.ts$/),
  });
  const ran = await ccw("run", "--loop-id", "a", "--agent", ECHO);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).toContain("$ printf 42 > answer");
  expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("42");
  expect(await stateOf(here, "a")).toMatchObject({
    status: "completed",
    agent: { driver: "echo" },
  });
});

test("an agent of the own configuration is a name like any other, with its options; the project's configuration registers none", async () => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const program = [process.execPath, join(examples, "agent-echo/src/echo.ts")];
  const agents = { mine: { module: ECHO, options: { program } } };
  await own.write({ agent: "mine", agents });
  const run = ["run", "--auto", "--verify", "node check.mjs", "--loop-id", "a", "--create", TASK];
  const ran = await ccwLoop(here, own.env, ...run);
  expect(ran.code, ran.err).toBe(0);
  expect((await stateOf(here, "a")).settings.agent).toBe("mine");

  await own.write({});
  const file = await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ agents }));
  const refused = await ccwLoop(here, own.env, "run", "--auto", "--agent", "mine", "x");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain(`agents in ${file} is not allowed`);
  expect(refused.err).toContain(`move it to ${own.file}`);
});

test("an error of the module's own copy of core keeps its code", async () => {
  await using here = await project(plan);
  await using own = await ownConfig();
  await own.write({ agents: { mine: { module: ECHO, options: { program: [] } } } });
  const ran = await ccwLoop(here, own.env, "run", "--auto", "--agent", "mine", "x", "--json");
  expect(ran.code).toBe(5);
  expect(JSON.parse(ran.out).error.code).toBe("agent_misconfigured");
});
