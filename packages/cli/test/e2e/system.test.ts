/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { BIN } from "../support/bin.ts";
import { atCommand, ccwLoop } from "../support/processes.ts";
import {
  hang,
  type Project,
  plan,
  project,
  repository,
  stateOf,
  write,
} from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Words of a defect of ours. */
const DEFECT = /should not happen|Unexpected error|internal|^ +at /m;

/** Runs `ccw-loop ARGS` in a shell, behind other commands of it. */
function inShell({ dir }: Project, before: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", `${before}; exec "$@"`, "sh", process.execPath, BIN, ...args],
    { cwd: dir, env: { ...process.env, HOME: dir, NO_COLOR: "1" }, encoding: "utf8" },
  );
  return { code: status, out: stdout, err: stderr };
}

test("where too few files may be open, the loop is paused with the limit named, and goes on without the limit", async () => {
  // The limit may end the loop behind the turn as well, which is then repeated.
  await using here = await repository(plan, { ...write("42"), repeat: true });
  const seen: string[] = [];
  let paused: string | undefined;
  // How many are enough depends on Node: the first number that is too few for what a loop does.
  for (let files = 38; paused === undefined && files >= 24; files -= 2) {
    const id = `f${files}`;
    writeFileSync(join(here.dir, "answer"), "0");
    const flags = ["--loop-id", id, "--create", "--auto", ...here.flags];
    const { code, err } = inShell(here, `ulimit -n ${files}`, "run", ...flags, "find it");
    seen.push(`${files}: ${code}`);
    if (code === 0) continue;
    expect(code, err).toBe(5);
    expect(err).toContain("Raise the limit of open files (ulimit -n), then try again.");
    expect(err).not.toMatch(DEFECT);
    if ((await stateOf(here, id)).status === "paused") paused = id;
  }
  if (paused === undefined) throw new Error(`No number of files was too few: ${seen.join(", ")}`);
  const { code, err } = await here.cli("resume", paused);
  expect(code, err).toBe(0);
  expect(await stateOf(here, paused)).toMatchObject({ status: "completed" });
});

test.each([22, 24, 26])("list says with %i open files what it lacks, or lists", async (files) => {
  await using here = await project(plan, write("42"));
  const { code, err } = inShell(here, `ulimit -n ${files}`, "list");
  expect([0, 5], err).toContain(code);
  if (code === 5) expect(err).toContain("Raise the limit of open files (ulimit -n)");
  expect(err).not.toMatch(DEFECT);
});

test("a loop whose .git folder is gone says what to put back, and goes on once it is there", async () => {
  await using here = await repository(plan, write("42"));
  const flags = ["--loop-id", "a", "--create", "--auto", "--max-iterations", "1", ...here.flags];
  expect((await here.cli("run", "find it", ...flags)).code).toBe(3);
  const git = `${here.dir}/.git`;
  // It is removed with the project.
  const away = `${here.dir}/.workflow/.loop/.git-away`;
  renameSync(git, away);
  for (const command of [
    ["resume", "a", "--reopen", "--max-iterations", "9"],
    ["diff", "a"],
  ]) {
    const { code, err } = await here.cli(...command);
    expect(code, err).toBe(5);
    expect(err).toContain("Put its .git folder back");
    expect(err).not.toMatch(DEFECT);
  }
  expect(await stateOf(here, "a")).toMatchObject({ status: "paused" });
  renameSync(away, git);
  const { code, err } = await here.cli("resume", "a");
  expect(code, err).toBe(0);
  expect(await stateOf(here, "a")).toMatchObject({ outcome: { code: "proven" } });
});

test("a folder that was removed below the shell is named, unless another one is", async () => {
  await using here = await project(plan, write("42"));
  const removed = "mkdir gone && cd gone && rmdir ../gone";
  for (const command of ["list", "run", "config show"]) {
    const { code, err } = inShell(here, removed, ...command.split(" "));
    expect(code, err).toBe(5);
    expect(err).toContain("The folder that this was called in is gone. Change to another one");
    expect(err).not.toMatch(DEFECT);
  }
  const wrong = inShell(here, removed, "nonsense");
  expect(wrong.code, wrong.err).toBe(2);
  expect(wrong.err).toContain("Unknown command 'nonsense'");
  const elsewhere = inShell(here, removed, "--cwd", here.dir, "list");
  expect(elsewhere.code, elsewhere.err).toBe(0);
});

test("a terminal that is closed pauses the loop, as Ctrl-C does", async () => {
  await using here = await project(plan, hang, write("42"));
  const flags = ["--loop-id", "a", "--create", "--auto", ...here.flags];
  const run = ccwLoop(here.dir, "run", "find it", ...flags, "--events");
  await atCommand(run, ["a"]);
  run.child.kill("SIGHUP");
  expect(await run.ended).toBe(129);
  expect(await stateOf(here, "a")).toMatchObject({ status: "paused" });
});
