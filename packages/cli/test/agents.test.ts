import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { ownConfig } from "./support/own-module.ts";
import { plan, project } from "./support/project.ts";

const ECHO = join(import.meta.dirname, "../../../examples/agent-echo/src/index.ts");
const FAKE = join(import.meta.dirname, "../../agent-acp/test/fixtures/fake-acp.ts");
const OBEDIENT = join(import.meta.dirname, "support/obedient.ts");

/** Runs a command where the operator has registered an agent with these habits as `mine`. */
async function withAgent(habits: string[], ...args: string[]) {
  await using here = await project(plan);
  await using own = await ownConfig();
  const program = [process.execPath, OBEDIENT, ...habits];
  await own.write({ agents: { mine: { module: ECHO, options: { program } } } });
  return await here.run(here.io({ env: { ...own.env, PATH: "/usr/bin:/bin" } }), ...args);
}

const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("ccw-loop-trial-"));

describe("agents", { timeout: 60_000 }, () => {
  test("list tells which can work here, and what the others lack", async () => {
    const { code, out } = await withAgent([], "agents", "list");
    expect(code).toBe(0);
    expect(out).toMatch(/^mine +\S+ +can work here$/m);
    expect(out).toMatch(/^qwen +Qwen Code +.*npm install -g @qwen-code\/qwen-code/m);
    expect(out).not.toMatch(/^scripted/m);
    expect(out).toContain('\nOthers by name: ./module.js, scripted:FILE, acp:"COMMAND"\n');
    expect(out).toMatch(/^See all that \w+ lacks with: ccw-loop doctor --agent \w+$/m);
    const data = documentIn("agents list", (await withAgent([], "agents", "list", "--json")).out);
    expect(data.agents).toContainEqual({
      ...{ name: "mine", describe: ECHO, ok: true, version: null, login_tried: true },
      ...{ notes: [], problems: [] },
    });
  });

  test("tasks say whose they are where that is not the loop's own agent", async () => {
    await using here = await project(plan);
    const own = "scripted:agent.json";
    const made = ["start", "--loop-id", "a", "--agent", own, "--verify", "true", "The work"];
    expect((await here.run(here.io(), ...made)).code).toBe(0);
    await here.run(here.io(), "tasks", "add", "a", "Write it");
    await here.run(here.io(), "tasks", "add", "a", "Check it", "--tool", "gemini");
    const { out } = await here.run(here.io(), "tasks", "list", "a");
    expect(out).toMatch(/Write it\n.*Check it \(by gemini\)\n$/);
  });

  test("test has an agent work: what it does, what it does not, and nothing is left", async () => {
    const { code, out, err } = await withAgent([], "agents", "test", "mine");
    expect(code, err).toBe(0);
    expect(err.split("\n").slice(0, 7)).toEqual([
      expect.stringMatching(/^ok +answers +the word came back/),
      expect.stringMatching(/^ok +edits files +hello.txt was written/),
      expect.stringMatching(/^ok +runs commands +it ran, its exit code is told/),
      expect.stringMatching(/^ok +stays in the project +it asked, and was declined/),
      expect.stringMatching(/^ok +stops when told, with every process +after .* none is left/),
      expect.stringMatching(/^note +tells what it uses +no tokens/),
      expect.stringMatching(/^ok +goes on with a conversation +it knew the word/),
    ]);
    expect(out).toBe("echo can work in loops.\n");
    expect(left()).toEqual([]);
    expect(processesRunning(OBEDIENT)).toEqual([]);
  });

  test("an agent that edits nothing cannot work in loops: exit 1", async () => {
    const habits = ["idle", "roams", "forgets"];
    const { code, out } = await withAgent(habits, "agents", "test", "mine", "--json");
    expect(code).toBe(1);
    const data = documentIn("agents test", out);
    expect(data).toMatchObject({ ok: false, driver: "echo", version: null });
    const failed = data.trials.filter(({ holds }) => holds === false);
    expect(failed).toMatchObject([
      { what: "edits files", needed: true, seen: "hello.txt was not written" },
      { what: "stays in the project", needed: false },
      { what: "goes on with a conversation", needed: false },
    ]);
    const outside = failed[1]?.seen.replace("it wrote ", "") ?? "";
    expect(outside.startsWith(homedir())).toBe(true);
    expect(existsSync(outside)).toBe(false);
  });

  test("test takes a command that is named as its argument", async () => {
    await using here = await project(plan);
    const agent = `acp:${process.execPath} ${FAKE} ${join(here.dir, "fake-acp")} works`;
    // Its folder lies beside the one in which it is tried.
    const tried = await here.cli("agents", "test", agent, "--json", "--sandbox", "off");
    const data = documentIn("agents test", tried.out);
    expect(data).toMatchObject({ driver: "acp", version: "1.2.3", ok: false });
  });

  test("one that is not there is named with the line that installs it: exit 5", async () => {
    const { code, err } = await withAgent([], "agents", "test", "qwen");
    expect(code).toBe(5);
    expect(err).toContain("npm install -g @qwen-code/qwen-code");
  });
});
