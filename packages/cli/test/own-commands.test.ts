import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROFILES } from "@ccw-loop/agent-acp";
import { processes } from "@ccw-loop/processes";
import { describe, expect, test } from "vitest";
import { ACP_AGENTS, acpCommandIn, acpCommandName } from "../src/extensions/acp-agents.ts";
import { AgentRegistry } from "../src/extensions/agent-registry.ts";
import { NO_MODULES, operatorModules } from "../src/extensions/operator-modules.ts";
import { type OwnConfig, ownConfig, put } from "./support/own-module.ts";
import { type Project, plan, project } from "./support/project.ts";

/** Not contained: each writes a folder beside the own configuration, to be seen there. */
const cli = (here: Project, own: OwnConfig, env: Record<string, string> = {}) => {
  const off = { CCW_LOOP_SANDBOX: "off" };
  const io = () => here.io({ env: { ...off, ...own.env, ...env, PATH: process.env.PATH ?? "" } });
  return (...args: string[]) => here.run(io(), ...args);
};
const TASK = "Find the answer.\n\n$ printf 42 > answer";
const VERIFY = ["--verify", "node check.mjs", "--loop-id", "a"];
const NEW = ["start", "--auto", ...VERIFY, TASK];
const FAKE = join(import.meta.dirname, "../../agent-acp/test/fixtures/fake-acp.ts");

describe("who may name a command", () => {
  type Named = { command: string[]; name: string; folder: string; here: Project; own: OwnConfig };
  const sources: [
    string,
    string,
    (named: Named) => Promise<{ args: string[]; env?: Record<string, string> }>,
  ][] = [
    ["--agent", "runs it", async ({ name }) => ({ args: [...NEW, "--agent", name] })],
    [
      "a name of the own configuration",
      "runs it",
      async ({ command, own }) => {
        await own.write({ agents: { mine: { command } } });
        return { args: [...NEW, "--agent", "mine"] };
      },
    ],
    [
      "the environment",
      "CCW_LOOP_AGENT cannot be",
      async ({ name }) => ({ args: NEW, env: { CCW_LOOP_AGENT: name } }),
    ],
    [
      "`agent` of the project's configuration",
      "a module or a command is named by --agent alone",
      async ({ name, here }) => {
        await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ agent: name }));
        return { args: NEW };
      },
    ],
    [
      "`agents` of the project's configuration",
      "is not allowed: agents can write that file",
      async ({ command, here }) => {
        const agents = { mine: { command } };
        await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ agents }));
        return { args: [...NEW, "--agent", "mine"] };
      },
    ],
    [
      "the state of a loop",
      "a command is run only where its operator names it. Name it again with: --agent 'acp:",
      async ({ name, folder, here, own }) => {
        const made = await cli(here, own)("start", ...VERIFY, "--agent", name, TASK);
        expect(made.code, made.err).toBe(0);
        await rm(folder, { recursive: true });
        return { args: ["run", "--auto", "--loop-id", "a"] };
      },
    ],
  ];
  test.each(sources)("%s: %s", async (_, expected, name) => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const folder = join(own.file, "..", "fake-acp");
    const command = [process.execPath, FAKE, folder, "works"];
    const named = { command, name: `acp:${command.join(" ")}`, folder, here, own };
    const { args, env } = await name(named);
    const { code, err } = await cli(here, own, env)(...args);
    // Where it was run, it made its folder.
    expect(existsSync(folder), err).toBe(expected === "runs it");
    if (expected === "runs it") expect(code, err).toBe(0);
    else expect(err).toContain(expected);
  });

  test("a request does not", async () => {
    const sources = { named: [], own: NO_MODULES, ownFile: "/own.json", warn: () => undefined };
    const registry = new AgentRegistry(sources);
    expect(registry.problem("acp:touch x")).toMatch(/^a command is run only where its operator/);
    const place = { root: "/", hidden: [], processes: processes() };
    await expect(registry.open("acp:touch x", place)).rejects.toMatchObject({
      code: "agent_unavailable",
    });
  });
});

test.each([
  [{ command: [] }, "agents.mine.command", "name a program and its arguments"],
  [{ command: "my-agent --acp" }, "agents.mine.command", "expected array"],
  [{ command: ["x"], like: "cursor" }, "agents.mine.like", '"gemini"'],
  [{ command: ["x"], yolo: true }, "agents.mine", "yolo"],
  [{ command: ["x"], limits: { silence_ms: 0 } }, "agents.mine.limits.silence_ms", "0"],
  [{ module: "./x.js", mode: "default" }, "agents.mine", "mode"],
])("the own configuration is refused with %j", async (mine, key, words) => {
  await using own = await ownConfig();
  await own.write({ agents: { mine } });
  await expect(operatorModules(own.file, "/nowhere")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(new RegExp(`^${key} in .*config\\.json is wrong: .*${words}`)),
  });
});

test("a program that is named by a path lies beside the configuration", async () => {
  await using own = await ownConfig();
  await own.write({ agents: { mine: { command: ["./my-agent", "./x"], like: "qwen" } } });
  const { agents } = await operatorModules(own.file, "/nowhere");
  expect(agents.get("mine")).toEqual({
    command: [join(own.file, "../my-agent"), join(own.file, "../x")],
    like: "qwen",
  });
});

test.each([["acp:"], ["acp:  "], ["acp:'open"]])("%j names no command", async (name) => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const { code, err } = await cli(here, own)(...NEW, "--agent", name);
  expect(code).toBe(2);
  expect(err).toContain("names no command");
});

test.each(["node agent.mjs --url http://h/?a=1&b=2", "a | b", "a > b", "a ~/x", "a $HOME"])(
  "acp:%s is refused: no shell runs it",
  (command) => {
    expect(() => acpCommandIn(`acp:${command}`, "/")).toThrow("no shell runs it");
  },
);

test("files of a command are counted from where it was named, and nothing else is", () => {
  const named = "acp:node ./agent.mjs --url 'http://h/?a=1&b=2' ../x --config=./y @a/b";
  const command = acpCommandIn(named, "/here/sub");
  expect(command).toEqual([
    ...["node", "/here/sub/agent.mjs", "--url", "http://h/?a=1&b=2", "/here/x"],
    ...["--config=./y", "@a/b"],
  ]);
  expect(acpCommandIn(acpCommandName(command), "/")).toEqual(command);
  expect(acpCommandIn("acp:./my-agent", "/here")).toEqual(["/here/my-agent"]);
});

test("a program that lies in the project is told each time, once", async () => {
  await using here = await project(plan);
  const file = join(here.dir, "agent.mjs");
  await writeFile(file, "");
  const warned: string[] = [];
  const warn = (message: string) => warned.push(message);
  const named = [acpCommandName([process.execPath, file])];
  const registry = new AgentRegistry({ named, own: NO_MODULES, ownFile: "/own.json", warn });
  const place = { root: here.dir, hidden: [], processes: processes() };
  for (const _ of [1, 2]) await registry.open(named[0] ?? "", place);
  expect(warned).toEqual([expect.stringContaining(`${file} lies inside of the project`)]);
});

test("the names that are built in are those of the profiles", () => {
  expect(Object.keys(ACP_AGENTS)).toEqual(Object.keys(PROFILES));
});
