import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { acpAgent, commandProfile } from "@ccw-loop/agent-acp";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { BIN } from "./support/bin.ts";
import { documentIn } from "./support/documents.ts";
import { type OwnConfig, ownConfig, put } from "./support/own-module.ts";
import { type Project, plan, project, stateOf } from "./support/project.ts";
import { waitingProject } from "./support/tested-project.ts";

const FAKE = join(import.meta.dirname, "../../agent-acp/test/fixtures/fake-acp.ts");
const CONTAINS = works(
  "bwrap",
  ...["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/"],
  ...["--dev", "/dev", "--proc", "/proc", "true"],
);

/** The fake agent, whose folder lies in the project. */
const commandIn = ({ dir }: Project) => [process.execPath, FAKE, join(dir, "fake-acp"), "works"];

async function doctor(here: Project, own: OwnConfig, args: string[], env = {}) {
  const agent = `acp:${commandIn(here).join(" ")}`;
  const io = here.io({ env: { PATH: process.env.PATH ?? "", ...own.env, ...env } });
  const { out, err } = await here.run(io, "doctor", "--agent", agent, ...args);
  return out + err;
}

describe("where an agent runs is said by", { timeout: 120_000 }, () => {
  const OFF = "is not contained, as you wanted it.";
  const sources: [string, string, { args?: string[]; env?: object; own?: object }][] = [
    ["the command line", OFF, { args: ["--sandbox", "off"] }],
    ["the environment", OFF, { env: { CCW_LOOP_SANDBOX: "off" } }],
    ["the own configuration", OFF, { own: { sandbox: "off" } }],
    [
      "the command line before the others",
      OFF,
      {
        ...{ args: ["--sandbox", "off"], env: { CCW_LOOP_SANDBOX: "container:x" } },
        own: { sandbox: "container:x" },
      },
    ],
    [
      "a command of the operator's",
      "is started by /usr/bin/env, as you chose",
      { args: ["--sandbox", "container:/usr/bin/env A=1"] },
    ],
    [
      "no word that nobody knows",
      'CCW_LOOP_SANDBOX cannot be "docker": use off, workspace, or container:COMMAND',
      { env: { CCW_LOOP_SANDBOX: "docker" } },
    ],
    [
      "no command that only a shell could run",
      '--sandbox cannot be "container:docker exec $NAME"',
      { args: ["--sandbox", "container:docker exec $NAME"] },
    ],
    ["no empty command", '--sandbox cannot be "container:"', { args: ["--sandbox", "container:"] }],
  ];
  test.each(sources)("%s", async (_, expected, { args = [], env, own: config }) => {
    await using here = await project(plan);
    await using own = await ownConfig();
    if (config) await own.write(config);
    expect(await doctor(here, own, args, env)).toContain(expected);
  });

  test("no file of the project", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ sandbox: "off" }));
    const said = await doctor(here, own, []);
    expect(said).toMatch(/sandbox in .* is not allowed: agents can write that file/);
    expect(said).toContain("this says where they may write");
  });

  test("no file that the agent can write, without a warning", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const enter = join(here.dir, "enter");
    await writeFile(enter, '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    const said = await doctor(here, own, ["--sandbox", "container:./enter"]);
    expect(said).toContain(`The agent program ${enter} lies inside of the project`);
    expect(said).toContain("can work here");
  });

  test("the operator where agents are listed and tried out, too", async () => {
    await using here = await project(plan);
    const elsewhere = ["--sandbox", "container:no-such-docker x"];
    const { out } = await here.cli("agents", "list", ...elsewhere);
    expect(out).toMatch(/^codex .*codex does not run in a container of yours/m);
    expect(out).toMatch(/^qwen .*no no-such-docker on PATH/m);
    const tried = await here.cli("agents", "test", "codex", ...elsewhere);
    expect(tried).toMatchObject({ code: 5, err: expect.stringContaining("container of yours") });
  });

  test("what settings are shown", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const shown = async (env: object, ...args: string[]) => {
      const io = here.io({ env: { ...own.env, ...env } });
      const { out } = await here.run(io, "config", "show", "--json", ...args);
      return documentIn("config show", out).settings.sandbox;
    };
    expect(await shown({})).toEqual({ value: null, origin: "default" });
    await own.write({ sandbox: "off" });
    expect(await shown({})).toEqual({ value: "off", origin: own.file });
    const env = { CCW_LOOP_SANDBOX: "workspace" };
    expect(await shown(env)).toEqual({ value: "workspace", origin: "env CCW_LOOP_SANDBOX" });
    const container = ["--sandbox", "container:docker exec x"];
    expect(await shown(env, ...container)).toEqual({ value: container[1], origin: "flag" });
  });

  test("nobody to an agent that nothing contains", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file } = own.module("agent.js");
    for (const agent of [file, "scripted:agent.json"]) {
      const io = here.io({ env: { PATH: process.env.PATH ?? "", ...own.env } });
      const said = await here.run(io, "doctor", "--agent", agent, "--sandbox", "workspace");
      expect(said.out).toContain(`Nothing contains the agent ${agent.replace(/:.*/, "")}`);
    }
  });

  test("nobody to an agent that cannot do that, and to a control plane elsewhere", async () => {
    await using here = await project(plan);
    const codex = await here.cli("doctor", "--agent", "codex", "--sandbox", "container:docker x");
    expect(codex.out).toContain("codex does not run in a container of yours");
    const far = await here.cli("--url", "http://127.0.0.1:1", "run", "x", "--sandbox", "off");
    expect(far.code).toBe(2);
    expect(far.err).toContain("--sandbox is said to whoever drives the loops");
  });
});

describe.runIf(CONTAINS)("an agent that is contained", { timeout: 180_000 }, () => {
  test("is what doctor tries out, the key for receipts included", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const said = await doctor(here, own, []);
    expect(said).toContain("is contained by bubblewrap, which was tried:");
    expect(said).toContain(`it could write to ${here.dir};`);
    expect(said).toContain(`it could not read ${join(dirname(own.file), "receipt.key")};`);
  });

  test("has bash tasks done as it is contained itself", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const home = join(here.dir, ".git/fake-acp");
    const command = commandIn(here).with(2, home);
    await own.write({ agents: { mine: { command, homes: [home], mode: "default" } } });
    const io = () => here.io({ env: { PATH: process.env.PATH ?? "", ...own.env } });
    const flags = ["--auto", "--agent", "mine", "--verify", "node check.mjs", "--loop-id", "a"];
    await here.run(io(), "start", ...flags, "--expect", "unchanged", "x");
    const task = `printf 42 > answer; ls ${dirname(own.file)}; echo x >> .git/config; echo over`;
    await here.run(io(), "tasks", "add", "a", task, "--tool", "bash");
    const { code, err } = await here.run(io(), "run", "--loop-id", "a");
    expect(code, err).toBe(0);
    const { output } = (await stateOf(here, "a")).skill_state.develop.tasks[0].command_run;
    expect(output).toMatch(/^[^\n]*config: Read-only file system\nover\n$/);
    expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("42");
  });

  test("cannot answer for the operator, whatever it cuts off", { tags: ["slow"] }, async () => {
    await using here = await waitingProject();
    await using own = await ownConfig();
    const before = here.read();

    // Its own parent, session and environment: nothing is left by which it could be known.
    const answer = `"${process.execPath}" "${BIN}" answer a accept > said.txt 2>&1; echo "exit $?" >> said.txt`;
    await put(join(here.dir, "answer.sh"), answer);
    const command = `env -i PATH="$PATH" HOME=/nonexistent setsid -f sh answer.sh
until grep -q exit said.txt; do sleep 0.1; done
echo '{}' > .workflow/.loop/a.json`;
    const words = commandIn(here).with(3, "no-questions");
    const agent = acpAgent({
      profile: commandProfile("fake", { command: words, mode: "default" }),
      ...{ sandbox: { kind: "workspace", required: true }, hidden: [dirname(own.file)] },
    });
    const session = await agent.open({ cwd: here.dir, instructions: "" });
    const stage = { command, end: { answer: "Done." } };
    await put(join(here.dir, "fake-acp/stage.json"), JSON.stringify(stage));
    await session.run("Go on.", { signal: AbortSignal.timeout(120_000) });
    await session.close();
    const said = readFileSync(join(here.dir, "said.txt"), "utf8");
    expect(said).toMatch(/exit [1-9]/);
    expect(said).toMatch(/EROFS|read-only/i);
    expect(here.read()).toBe(before);
    expect((await stateOf(here, "a")).accepted).toBeUndefined();
  });
});
