/** @module-tag slow */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { put } from "../support/own-module.ts";
import { atCommand, ccwLoop, PATIENCE } from "../support/processes.ts";
import { commitAll, executed, project, stateOf, write } from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

const FILES = {
  "src/answer.mjs": "export const answer = () => 0;\n",
  "src/page.mjs": "export const page = () => '';\n",
  "test/answer.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "../src/answer.mjs";
import { page } from "../src/page.mjs";
test("the answer is 42", () => assert.equal(answer(), 42));
test("the page is made", () => assert.equal(page(), "<p>42</p>"));
`,
};
const content = "export const answer = () => 42;\n";
const repair = { ...write(""), steps: [{ write: { path: "src/answer.mjs", content } }] };

test("a loop with a task for the agent and a command ends proven; its command was cut off by kill -9, and is begun again", async () => {
  await using here = await project(repair);
  for (const [path, text] of Object.entries(FILES)) await put(join(here.dir, path), text);
  await commitAll(here);
  const flags = ["--agent", "scripted:agent.json", "--verify", "node --test"];
  const started = await here.cli("start", "--auto", ...flags, "--loop-id", "a", "answer");
  expect(started.code, started.err).toBe(0);
  const nap = `sleep ${(700 + Math.random()).toFixed(9)}`;
  const beside = join(here.dir, ".workflow");
  const command = [
    `echo begun >> ${beside}/tries`,
    `test -e ${beside}/go || ${nap}`,
    `echo "export const page = () => '<p>42</p>';" > src/page.mjs`,
  ].join("\n");
  await here.cli("tasks", "add", "a", command, "--tool", "bash", "--task-id", "page");
  await here.cli("tasks", "add", "a", "find the answer", "--task-id", "find");

  const killed = ccwLoop(here.dir, "run", "--loop-id", "a", "--events");
  await atCommand(killed, ["a"]);
  await vi.waitFor(() => expect(processesRunning(nap).length).toBeGreaterThan(0), PATIENCE);
  killed.child.kill("SIGKILL");
  await killed.ended;
  await vi.waitFor(() => expect(processesRunning(nap)).toEqual([]), PATIENCE);
  expect(readFileSync(join(here.dir, "src/page.mjs"), "utf8")).toBe(FILES["src/page.mjs"]);

  await writeFile(join(beside, "go"), "");
  const again = ccwLoop(here.dir, "run", "--loop-id", "a", "--events");
  const exit = await again.ended;
  expect(exit).toBe(0);
  const state = await stateOf(here, "a");
  expect([state.status, state.outcome.code]).toEqual(["completed", "proven"]);
  expect(state.usage.turns).toBe(1);
  const [page, find] = state.skill_state.develop.tasks;
  expect(page).toMatchObject({ files_changed: ["src/page.mjs"], command_run: { exit_code: 0 } });
  expect(find).toMatchObject({ status: "completed", files_changed: ["src/answer.mjs"] });
  expect(readFileSync(join(beside, "tries"), "utf8")).toBe("begun\nbegun\n");
  expect(executed(here, "a")).toEqual([
    "INIT",
    "DEVELOP cut off",
    "DEVELOP",
    "DEVELOP",
    "VALIDATE",
    "COMPLETE",
  ]);
});
