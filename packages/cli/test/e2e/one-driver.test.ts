/** @module-tag slow */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { atCommand, ccwLoop, PATIENCE } from "../support/processes.ts";
import { commitAll, type Project, plan, project, stateOf, write } from "../support/project.ts";

/** Finds the answer, and then thinks about it until it is stopped. */
const worksAndHangs = {
  action: "DEVELOP" as const,
  once: true,
  steps: [
    { write: { path: "answer", content: "42" } },
    { run: "echo thinking" },
    { hang: true as const },
  ],
};
const idle = {
  action: "DEVELOP" as const,
  answer: { message: "Done.", state_updates: { summary: "nothing" } },
};
const gaveUp = {
  action: "DEBUG" as const,
  repeat: true,
  answer: { status: "needs_input" as const, message: "No idea." },
};

/** An agent's script of its own, and the flag that names it. */
async function agentOf({ dir }: Project, name: string, ...turns: object[]): Promise<string[]> {
  await writeFile(join(dir, ".workflow", `${name}.json`), JSON.stringify({ turns }));
  return ["--agent", `scripted:${join(dir, ".workflow", `${name}.json`)}`];
}

/** Loop `a` in a process of its own, which has written the answer and goes on working. */
async function working(here: Project) {
  const flags = ["--auto", "--events", ...here.flags, "--loop-id", "a", "--create"];
  const a = ccwLoop(here.dir, "run", ...flags, "Find the answer");
  await atCommand(a, ["a"]);
  return a;
}

test("a loop that does nothing is not proven by what another one does in the same folder", async () => {
  await using here = await project(plan, worksAndHangs);
  await commitAll(here);
  const idler = await agentOf(here, "idler", plan, idle, gaveUp);
  const a = await working(here);
  const args = ["--auto", "--verify", "node check.mjs", ...idler, "--loop-id", "b", "--create"];
  const { code, err, out } = await here.cli("run", ...args, "Do nothing");
  expect(code, err).toBe(4);
  const path = `${here.dir}.worktrees/b`;
  expect(err).toContain(
    `Works in ${path}, on the branch ccw-loop/b, because loop a works in ${here.dir}. ` +
      "It begins at the last commit: changes that are not committed are not there",
  );
  expect(out).toContain(path);
  expect(readFileSync(join(path, "answer"), "utf8")).toBe("0");
  expect(readFileSync(join(here.dir, "answer"), "utf8")).toBe("42");
  const b = await stateOf(here, "b");
  expect(b.receipts.at(-1)).toMatchObject({ passed: false, cwd: path });
  a.child.kill("SIGTERM");
  await a.ended;
});

test("a folder whose driver was killed is free at once", async () => {
  await using here = await project(plan, worksAndHangs);
  await commitAll(here);
  const a = await working(here);
  a.child.kill("SIGKILL");
  await a.ended;
  const agent = await agentOf(here, "writer", plan, write("42"));
  const args = ["--auto", "--verify", "node check.mjs", ...agent, "--loop-id", "b", "--create"];
  const { err } = await here.cli("run", ...args, "Find it");
  expect((await stateOf(here, "b")).workspace?.path, err).toBeUndefined();
  expect(existsSync(`${here.dir}.worktrees`)).toBe(false);
});

test("without git a second run is refused, says what to do, and leaves no loop behind", async () => {
  await using here = await project(plan, worksAndHangs);
  const a = await working(here);
  const second = await here.cli("run", "--auto", ...here.flags, "Find it too");
  expect(second.code).toBe(6);
  for (const part of [
    `Loop a works on the files of ${here.dir}`,
    "Without git no loop can have a worktree and a branch of its own. Run git init here first.",
    "ccw-loop watch a, or ccw-loop pause a). Then give the command again.",
  ]) {
    expect(second.err).toContain(part);
  }
  const { out } = await here.cli("list", "--json");
  expect(JSON.parse(out).data.loops.map(({ loop_id }: { loop_id: string }) => loop_id)).toEqual([
    "a",
  ]);
  a.child.kill("SIGTERM");
  await a.ended;
  expect(await readdir(join(here.dir, ".workflow", ".loop", ".driver"))).toHaveLength(1);
});

test("a paused loop whose folder another one took is not resumed, and says what to type", async () => {
  await using here = await project(plan, worksAndHangs);
  await commitAll(here);
  const a = await working(here);
  a.child.kill("SIGTERM");
  await a.ended;
  const hangs = await agentOf(here, "hangs", plan, worksAndHangs);
  const flags = ["--auto", "--events", "--verify", "node check.mjs", ...hangs];
  const b = ccwLoop(here.dir, "run", ...flags, "--loop-id", "b", "--create", "Think");
  await atCommand(b, ["b"]);
  const { code, err } = await here.cli("resume", "a");
  expect(code, err).toBe(6);
  expect(err).toContain("Loop a has begun there and cannot move.");
  expect(err).toContain("Then: ccw-loop resume a");
  expect((await stateOf(here, "a")).status).toBe("paused");
  b.child.kill("SIGTERM");
  await b.ended;
});

test("two projects in one repository do not work on the same files either", async () => {
  await using here = await project(plan, worksAndHangs);
  const sub = join(here.dir, "packages/sub");
  await mkdir(join(sub, ".workflow/.loop"), { recursive: true, mode: 0o700 });
  await writeFile(join(sub, "part"), "1");
  await commitAll(here);
  const idler = await agentOf(here, "idler", plan, idle, gaveUp);
  const a = await working(here);
  const args = ["--auto", "--events", "--verify", "test -e part", ...idler];
  const b = ccwLoop(sub, "run", ...args, "--loop-id", "b", "--create", "Do nothing");
  const path = join(`${here.dir}.worktrees`, "b/packages/sub");
  await vi.waitFor(() => {
    const state = JSON.parse(readFileSync(join(sub, ".workflow/.loop/b.json"), "utf8"));
    expect(state.workspace).toMatchObject({ path, branch: "ccw-loop/b" });
  }, PATIENCE);
  b.child.kill("SIGTERM");
  a.child.kill("SIGTERM");
  await Promise.all([a.ended, b.ended]);
});
