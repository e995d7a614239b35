/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "@ccw-loop/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { documentIn } from "./support/documents.ts";
import {
  commitAll,
  type Project,
  plan,
  project,
  repository,
  stateOf,
  write,
} from "./support/project.ts";

const TWO_TASKS = { tasks: [{ description: "try 41" }, { description: "try 42" }] };
const planTwo = { ...plan, answer: { message: "Two tasks.", state_updates: TWO_TASKS } };
/** Whatever conversation it is asked in. */
const forTask = (id: string, content: string) => ({
  ...write(content),
  when: `# ACTION: DEVELOP ${id}`,
  repeat: true,
});

/** A loop called `a` that wrote 41 behind checkpoint 2 and 42 behind 3, in a repository with one commit. */
async function ended(...flags: string[]): Promise<Project> {
  const here = await project(planTwo, forTask("task-001", "41"), forTask("task-002", "42"));
  await commitAll(here);
  const args = ["run", "--auto", ...here.flags, ...flags, "--loop-id", "a", "--create", "Answer"];
  const { code, err } = await here.cli(...args);
  expect(code, err).toBe(0);
  return here;
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" });
const answer = (folder: string) => readFile(join(folder, "answer"), "utf8");

describe("a loop that has ended", () => {
  let here: Project;
  beforeAll(async () => {
    here = await ended();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  test("timeline shows every action and what it changed", async () => {
    const { out, code } = await here.cli("timeline", "a");
    expect(code).toBe(0);
    const rows = out.trimEnd().split("\n").slice(1);
    const cells = rows.map((line) => line.split(/ {2,}/));
    expect(cells.map(([n, , action, outcome]) => [n, action, outcome])).toEqual([
      ["1", "INIT", "completed"],
      ["2", "DEVELOP task-001", "completed"],
      ["3", "DEVELOP task-002", "completed"],
      ["4", "VALIDATE", "completed"],
      [expect.any(String), "COMPLETE", "completed"],
    ]);
    expect(cells.map((row) => row[4]).slice(0, 4)).toEqual(["0", "1 +1 -1", "1 +1 -1", "0"]);
  });

  test("a diff is a patch that git applies, whatever colors are wanted", async () => {
    const io = here.io({ env: { FORCE_COLOR: "1" } });
    const { out, err, code } = await here.run(io, "diff", "a");
    expect([code, err]).toEqual([0, ""]);
    const patch = join(here.dir, ".git", "patch");
    await writeFile(patch, out);
    git(here.dir, "apply", "--check", "--reverse", patch);
    expect((await here.cli("diff", "a", "3..2")).out).toMatch(/\n-42\n.*\n\+41\n/s);
    expect((await here.cli("diff", "a", "2..3", "--stat")).out).toMatch(
      /^FILE +LINES +PATH\nchanged +\+1 -1 +answer\n1 file, \+1 -1, from checkpoint 2 to 3\n$/,
    );
  });

  test("a diff of nothing says so, and prints no patch", async () => {
    const { out, err, code } = await here.cli("diff", "a", "2..2");
    expect([code, out, err]).toEqual([0, "", "Nothing changed from checkpoint 2 to 2.\n"]);
  });

  test.each([
    ["diff", "99", /Loop a has no checkpoint 99\. It has 0 to \d+\./],
    ["diff", "0..99", /Loop a has no checkpoint 99\. It has 0 to \d+\./],
    ["diff", "one", /"one" names no checkpoints: use A\.\.B.* Loop a has 0 to \d+\./],
    ["rewind", "99", /Loop a has no checkpoint 99\. It has 0 to \d+\./],
    ["fork", "99", /Loop a has no checkpoint 99\. It has 0 to \d+\./],
    ["rewind", "first", /Use a whole number from 0 on\./],
  ])("%s refuses %s and names what there is: exit 2", async (command, range, message) => {
    const { code, out, err } = await here.cli(command, "a", range);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  test("verify runs the tests again and says that the proof stands: exit 0", async () => {
    const { code, out, err } = await here.cli("verify", "a");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^The receipt of loop a stands\.\n/);
    expect(out).toMatch(/^ {2}Command +node check\.mjs$/m);
    expect(out).toMatch(/^ +tests at the start +exit code 1 +passed$/m);
    expect((await here.cli("verify", "none")).code).toBe(7);
  });

  test("verify shows what it does on a terminal, and leaves nothing of it behind", async () => {
    const io = here.io({ tty: true, columns: 80, rows: 30, env: { NO_COLOR: "1" } });
    expect((await here.run(io, "verify", "a")).code).toBe(0);
    expect(io.err()).toContain("Verifying the receipt of loop a …");
    expect(io.err()).toContain("Verifying the receipt of loop a: the answer is 42");
    // The last that is written erases the line.
    expect(io.err().slice(io.err().lastIndexOf("42"))).toContain("\u001b[2K");
  });

  test("fork begins a loop in a worktree of its own and says how it goes on", async () => {
    const fork = ["fork", "a", "2", "--loop-id", "b"];
    const { code, out, err } = await here.cli(...fork, "--title", "Again");
    expect(code, err).toBe(0);
    expect(out).toMatch(/^Loop b begins at checkpoint 2 of a\.\n {2}Title +Again\n/);
    const [, folder = ""] = /Worktree +(\S+)\n +branch ccw-loop\/b\n/.exec(out) ?? [];
    expect(await answer(folder)).toBe("41");
    const [, command = ""] = /Next +ccw-loop (.*)\n/.exec(out) ?? [];
    const driven = await here.cli(...command.split(" "));
    expect(driven.code, driven.err + driven.out).toBe(0);
    expect(driven.out).toContain("git merge ccw-loop/b");
    expect(driven.err).not.toContain("cannot be copied");
    expect(await answer(folder)).toBe("42");
    const inside = await here.run(here.io({ cwd: folder }), "list");
    expect(inside.out).toMatch(/^b +completed /m);
    expect((await here.cli(...fork)).code).toBe(6);
  });

  test("rewind refuses to drop what the loop did not make: exit 6, unless it is told to", async () => {
    await writeFile(join(here.dir, "mine.txt"), "mine");
    await writeFile(join(here.dir, "answer"), "mine");
    const refused = await here.cli("rewind", "a", "2");
    expect([refused.code, refused.out]).toEqual([6, ""]);
    expect(refused.err).toMatch(/\(answer\).*--force/);
    expect(await answer(here.dir)).toBe("mine");
    const { code, out, err } = await here.cli("rewind", "a", "2", "--force");
    expect(code, err).toBe(0);
    const [first, left, kept] = out.split("\n");
    expect(first).toBe(
      "Loop a and its files are back at checkpoint 2. It is paused. Go on with: ccw-loop resume a",
    );
    expect(left).toBe("Left as they are, because they were changed from outside: mine.txt");
    expect(await answer(here.dir)).toBe("41");
    expect(await readFile(join(here.dir, "mine.txt"), "utf8")).toBe("mine");
    expect(await stateOf(here, "a")).toMatchObject({ status: "paused" });
    const rows = (await here.cli("timeline", "a")).out.trimEnd().split("\n").slice(1);
    const taken = rows.map((row) => row.includes("completed, rewound"));
    expect(taken, rows.join("\n")).toEqual([false, false, true, true, true, false]);
    const [, commit = ""] = /kept: git restore --source=(\S+) -- PATH$/.exec(kept ?? "") ?? [];
    expect(git(here.dir, "show", `${commit}:answer`)).toBe("mine");
  });

  test("a rewound loop goes on from there", async () => {
    const { code, err } = await here.cli("resume", "a");
    expect(code, err).toBe(0);
    expect(await answer(here.dir)).toBe("42");
  });

  test("verify says what does not fit any more: exit 1", async () => {
    await writeFile(join(here.dir, "answer"), "43\u001b[31m");
    const { code, out, err } = await here.cli("verify", "a");
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatch(/^The receipt of loop a does not stand: 1 problem\.\n/);
    expect(out).toContain("✖ The files are not those that were tested.\n    modified: answer\n");
    expect(out).toMatch(/\n\nHave what lies here proven, .*tasks add a - && .*resume a --reopen/);
  });
});

test("verify tells of a receipt that was edited in the state file: exit 1", async () => {
  await using here = await ended();
  const file = join(here.dir, ".workflow", ".loop", "a.json");
  const state = JSON.parse(await readFile(file, "utf8"));
  state.receipts.at(-1).counts.passed = 99;
  await writeFile(file, JSON.stringify(state));
  const { code, out } = await here.cli("verify", "a");
  expect(code).toBe(1);
  expect(out).toContain("were edited by another program; the recorded ones were put back");
});

test("rewind to files that are gone changes nothing: exit 2", async () => {
  await using here = await ended();
  const refs = git(here.dir, "for-each-ref", "--format=delete %(refname)", "refs/ccw-loop");
  execFileSync("git", ["update-ref", "--stdin"], { cwd: here.dir, input: refs });
  git(here.dir, "prune", "--expire=now");
  const { code, err } = await here.cli("rewind", "a", "2", "--force");
  expect(code, err).toBe(2);
  expect(err).toContain("no checkpoint");
  expect(await stateOf(here, "a")).toMatchObject({ status: "completed" });
  expect(await answer(here.dir)).toBe("42");
});

describe("a loop with a worktree", () => {
  test("leaves the project alone, ends with the merge command, and is cleaned up", async () => {
    await using here = await ended("--worktree");
    expect(git(here.dir, "status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(await answer(here.dir)).toBe("0");
    const shown = await here.cli("show", "a");
    expect(shown.out).toContain("git merge ccw-loop/a");
    const [, folder = ""] = /Worktree +(\S+)\n +branch ccw-loop\/a\n/.exec(shown.out) ?? [];
    expect(await answer(folder)).toBe("42");
    const dry = await here.cli("clean", "--dry-run");
    expect(dry.out).toMatch(/^a +completed +\d\S* [kM]?B +would be removed +\S+$/m);
    git(here.dir, "merge", "--quiet", "ccw-loop/a");
    expect(await answer(here.dir)).toBe("42");
    const cleaned = await here.cli("clean");
    expect(cleaned.out).toMatch(/\n1 of 1 removed: /);
    expect(existsSync(folder)).toBe(false);
    expect((await here.cli("clean")).out).toBe("No loop has a worktree here.\n");
  });

  test("is only made for a new loop, and only from a commit: exit 2", async () => {
    await using here = await project(plan, write("42"));
    const args = ["run", "--auto", ...here.flags, "--worktree", "--loop-id", "a"];
    const unborn = await here.cli(...args, "--create", "x");
    expect(unborn.code, unborn.err).toBe(2);
    expect((await here.cli("list", "--json")).out).toContain('"total": 0');
    await here.cli("start", "--auto", ...here.flags, "--loop-id", "a", "x");
    const { code, err } = await here.cli(...args);
    expect(code, err).toBe(2);
    expect(err).toContain("--worktree is for a new loop.");
  });
});

test("Ctrl-C ends verify: 130, and nothing that it started goes on", async () => {
  await using here = await repository(plan, write("42"));
  // A clean room does not see the project.
  const flag = `${here.dir}.hang`;
  const hangs = `import { existsSync } from "node:fs";
if (existsSync(${JSON.stringify(flag)})) {
  console.log("hanging as " + process.pid + ".");
  setInterval(() => {}, 1000);
}
`;
  await writeFile(join(here.dir, "check.mjs"), hangs);
  await here.cli("run", "--auto", ...here.flags, "--loop-id", "a", "--create", "x");
  await writeFile(flag, "");
  const io = here.io({ tty: true, columns: 80, rows: 30 });
  const verifying = here.run(io, "verify", "a", "--json");
  const pid = await vi.waitFor(
    () => Number(/hanging as (\d+)\./.exec(io.err())?.[1] ?? expect.fail(io.err())),
    { timeout: 20_000 },
  );
  expect(isAlive(pid)).toBe(true);
  io.signal("SIGINT");
  const { code, out } = await verifying;
  expect(code).toBe(130);
  expect(documentIn("verify", out)).toEqual({ loop_id: "a", interrupted: "SIGINT" });
  expect(isAlive(pid)).toBe(false);
  await rm(flag);
});
