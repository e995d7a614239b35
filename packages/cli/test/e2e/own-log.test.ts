/** @module-tag slow */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BIN } from "../support/bin.ts";
import { CONFIG } from "../support/fake-io.ts";
import {
  commitAll,
  type Project,
  plan,
  project,
  repository,
  stateOf,
  write,
} from "../support/project.ts";

/** Runs a loop in a shell, so that its output goes where a person would send it: into the project. */
async function runInShell({ dir, flags }: Project, redirected: string): Promise<void> {
  const words = ["run", "--auto", ...flags, "--loop-id", "a", "--create", "Find the answer"];
  const quoted = [process.execPath, BIN, ...words].map((word) => `'${word}'`).join(" ");
  const env = { ...process.env, HOME: dir, XDG_CONFIG_HOME: CONFIG, NO_COLOR: "1" };
  await promisify(execFile)("/bin/sh", ["-c", `${quoted} ${redirected}`], { cwd: dir, env });
}

/** How often the tests ran, as the journal has it. */
function validated({ dir }: Project): number {
  const text = readFileSync(join(dir, ".workflow/.loop/a.journal.jsonl"), "utf8");
  return text.split("\n").filter((line) => /"action\.completed".*"action":"VALIDATE"/.test(line))
    .length;
}

const KINDS = { "with git": repository, "without git": project };

test.each(Object.entries(KINDS))(
  "output into a file of the project, %s: the loop ends at its first test run",
  async (_, make) => {
    await using here = await make(plan, write("42"));
    await runInShell(here, "> nohup.out 2>&1");
    const state = await stateOf(here, "a");
    expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    expect(validated(here)).toBe(1);
    expect(state.receipts.at(-1).left_out).toEqual(["nohup.out"]);
    expect(state.skill_state.develop.tasks[0].files_changed).toEqual(["answer"]);
    const text = readFileSync(join(here.dir, "nohup.out"), "utf8");
    const named = "nohup.out is left out of what is measured, kept and proven";
    expect(text.split(named)).toHaveLength(2);
    const { code, out } = await here.cli("verify", "a");
    expect(code, out).toBe(0);
  },
);

test("a log that another program writes is left out once it is known to be one", async () => {
  await using here = await project(plan, write("42"));
  await commitAll(here);
  await runInShell(here, "2>&1 | tee all.log > /dev/null");
  const state = await stateOf(here, "a");
  expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  expect(validated(here)).toBeLessThanOrEqual(2);
  expect(state.receipts.at(-1).left_out).toEqual(["all.log"]);
  expect(readFileSync(join(here.dir, "all.log"), "utf8")).toContain(
    "all.log is left out of what is measured, kept and proven: it changes again and again",
  );
  const { code, out } = await here.cli("verify", "a");
  expect(code, out).toBe(0);
});
