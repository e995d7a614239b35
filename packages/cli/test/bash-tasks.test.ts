import { existsSync, readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DevelopTask } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { ownConfig } from "./support/own-module.ts";
import { commitAll, executed, plan, project, stateOf, write } from "./support/project.ts";

const NEW = ["--loop-id", "a", "--expect", "unchanged", "x"];
const nap = () => `sleep ${(700 + Math.random()).toFixed(9)}`;

const JUDGE = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
test("answers", () => assert.equal(readFileSync("answer", "utf8"), "42"));
`;

describe("a bash task", () => {
  test("is shown with its command, by every view and without anything being run", async () => {
    await using here = await project(plan);
    await here.cli("start", "--auto", ...here.flags, ...NEW);
    const added = await here.cli("tasks", "add", "a", "echo 42 > answer", "--tool", "bash");
    expect([added.code, added.out]).toEqual([0, expect.stringMatching(/\$ echo 42 > answer\n$/)]);
    const named = ["Tidy", "--tool", "bash", "--command", "rm -f junk # old\nrm -rf important"];
    await here.cli("tasks", "add", "a", ...named);
    for (const args of [
      ["tasks", "list", "a"],
      ["show", "a"],
    ]) {
      const { out } = await here.cli(...args);
      expect(out).toMatch(/\$ echo 42 > answer$/m);
      expect(out).toMatch(/\$ rm -f junk # old ⏎ rm -rf important \(Tidy\)$/m);
    }
    const dry = await here.cli("resume", "a", "--dry-run", "--json");
    expect(documentIn("resume", dry.out)).toMatchObject({
      action: "INIT",
      commands: [
        { command: "echo 42 > answer" },
        { command: "rm -f junk # old\nrm -rf important" },
      ],
    });
    const told = await here.cli("run", "--loop-id", "a", "--dry-run");
    expect(told.out).toMatch(
      /^Commands of open tasks:\n.+\$ echo 42 > answer\n.+\$ rm -f junk # old\n +rm -rf important\nThe agent may plan more of them\.\n$/m,
    );
    expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("0");
    expect((await stateOf(here, "a")).current_iteration).toBe(0);
    expect((await here.cli("run", "--dry-run", "x")).err).toContain(
      "--dry-run is for a loop that exists",
    );
  });

  test("is done with the environment of the tests where the agent has no sandbox, and leaves no process", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file } = own.module("own.mjs");
    const sleeping = nap();
    const io = () => here.io({ env: own.env });
    const flags = ["--agent", file, "--verify", "node check.mjs"];
    await here.run(io(), "start", "--auto", ...flags, ...NEW);
    const command = [
      `${sleeping} & setsid ${sleeping} &`,
      "[[ $CI == 1 ]] && cat && printf 42 > answer",
    ].join("\n");
    await here.run(io(), "tasks", "add", "a", command, "--tool", "bash");
    const { code, err } = await here.run(io(), "run", "--loop-id", "a", "--agent", file);
    expect(code, err).toBe(0);
    expect(executed(here, "a")).toEqual(["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]);
    expect(processesRunning(sleeping)).toEqual([]);
  });

  test("that an agent without a sandbox plans is not run where it names what is outside of the project", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file } = own.module("own.mjs");
    const outside = `${here.dir}-outside`;
    const planned = { description: "write it", command: `printf 1 > ${outside}` };
    const source = readFileSync(file, "utf8");
    const [before, after] = source.split('{ description: "write it" }');
    await writeFile(file, `${before}${JSON.stringify(planned)}${after}`);
    const io = () => here.io({ env: own.env });
    const flags = ["--agent", file, "--verify", "node check.mjs"];
    await here.run(io(), "start", "--auto", ...flags, ...NEW);
    const ran = await here.run(io(), "run", "--loop-id", "a", "--agent", file);
    expect([ran.code, existsSync(outside)], ran.err).toEqual([0, false]);
    expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("42");
  });

  test("cannot be added by one, nor by a file that one writes", async () => {
    await using here = await project(plan);
    await here.cli("start", "--auto", ...here.flags, ...NEW, "--max-iterations", "2");
    const bin = join(import.meta.dirname, "../bin/ccw-loop.js");
    const line = JSON.stringify({
      ...{ task_id: "evil", description: "more", tool: "bash", command: "touch evil" },
      created_at: new Date().toISOString(),
    });
    await writeFile(join(here.dir, "line"), `${line}\n`);
    const command = [
      `node ${bin} tasks add a 'touch evil' --tool bash; echo "exit $?"`,
      "cat line >> .workflow/.loop/a.tasks.jsonl; printf 42 > answer",
    ].join("\n");
    await here.cli("tasks", "add", "a", command, "--tool", "bash", "--task-id", "t");
    const { err } = await here.cli("run", "--loop-id", "a");
    const { tasks } = (await stateOf(here, "a")).skill_state.develop;
    expect(tasks[0].command_run.output, err).toMatch(/comes from inside of a loop.*exit 6/s);
    expect(existsSync(join(here.dir, "evil"))).toBe(false);
    const others = tasks.slice(1).map(({ id, tool }: DevelopTask) => [id, tool]);
    expect(others).toEqual([["evil", "codex"]]);
  });

  test("that edits tests has the same said against it as an agent that does", {
    tags: ["slow"],
  }, async () => {
    const bend = "sed -i 's/42/0/' answer.test.mjs";
    const said = async (bash: boolean) => {
      const turn = { action: "DEVELOP", steps: [{ run: bend }], answer: { message: "Done." } };
      await using here = await project(turn);
      await writeFile(join(here.dir, "answer.test.mjs"), JUDGE);
      await commitAll(here);
      const flags = ["--agent", "scripted:agent.json", "--verify", "node --test"];
      await here.cli("start", "--auto", ...flags, "--loop-id", "a", "x");
      await here.cli("tasks", "add", "a", bend, "--tool", bash ? "bash" : "codex");
      const { code, out } = await here.cli("run", "--loop-id", "a", "--json");
      const { objections, usage } = JSON.parse(out).data;
      expect([code, usage.turns]).toEqual([4, bash ? 0 : 1]);
      return objections;
    };
    const objections = await said(true);
    expect(objections).toMatchObject([{ kind: "verdict", tests: ["answer.test.mjs > answers"] }]);
    expect(objections).toEqual(await said(false));
  });
});

describe("who may have clients add bash tasks", () => {
  test("is said by the operator's own configuration, and never by the project's", async () => {
    await using here = await project(plan, write("42"));
    await appendFile(join(here.dir, ".workflow/ccw-loop.json"), '{ "allow_bash_tasks": true }');
    const { code, err } = await here.cli("start", "--auto", ...here.flags, ...NEW);
    expect(code).toBe(2);
    expect(err).toContain("allow_bash_tasks in");
    expect(err).toContain("lets clients run commands");
  });
});
