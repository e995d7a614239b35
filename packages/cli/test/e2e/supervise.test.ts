/** @module-tag slow */
import { expect, test, vi } from "vitest";
import { atCommand, begun, ccwLoop, type Lines, PATIENCE } from "../support/processes.ts";
import {
  commitAll,
  executed,
  hang,
  type Project,
  plan,
  project,
  stateOf,
  write,
} from "../support/project.ts";

async function start(here: Project, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const flags = ["--auto", "--worktree", ...here.flags, "--loop-id", id];
    const { code, err } = await here.cli("start", "x", ...flags);
    expect(code, err).toBe(0);
  }
}

async function allCompleted(here: Project, ids: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    for (const id of ids) {
      const { status, waiting, action } = await stateOf(here, id);
      expect({ status, waiting, action }).toMatchObject({ status: "completed" });
    }
  }, PATIENCE);
}

async function timeOf({ ended }: Lines): Promise<number> {
  const from = performance.now();
  await ended;
  return performance.now() - from;
}

test("kill -9 in the middle of several loops: the next supervisor is at their actions within 5 s", async () => {
  await using here = await project(plan, hang, write("42"));
  await commitAll(here);
  const ids = ["a", "b", "c"];
  await start(here, ids);
  const first = ccwLoop(here.dir, "supervise", "--events");
  await atCommand(first, ids);
  first.child.kill("SIGKILL");
  await first.ended;

  const startUp = await timeOf(ccwLoop(here.dir, "list", "--json"));
  const from = performance.now();
  const second = ccwLoop(here.dir, "supervise", "--events");
  const times = await begun(second, "DEVELOP", ids);
  const slowest = Math.max(...Object.values(times)) - from;
  console.log(
    `kill -9 → ${ids.length} loops at their actions again: ${Math.round(slowest)} ms (a list takes ${Math.round(startUp)} ms)`,
  );
  // A list takes 0.4 s on an idle machine; a busy one gets as much more time.
  expect(slowest).toBeLessThan(Math.max(5000, startUp * 12));
  await allCompleted(here, ids);
  for (const id of ids) {
    expect(executed(here, id)).toEqual([
      "INIT",
      "DEVELOP cut off",
      "DEVELOP",
      "VALIDATE",
      "COMPLETE",
    ]);
  }
  second.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("two supervisors and a run on the same loops: each action happens once", async () => {
  await using here = await project(plan, write("42"));
  await commitAll(here);
  const ids = ["a", "b"];
  await start(here, ids);
  const supervisors = [1, 2].map(() => ccwLoop(here.dir, "supervise", "--events"));
  const run = ccwLoop(here.dir, "run", "--loop-id", "a", "--auto", "--events");
  // It drives its loop to the end, finds it busy, or finds that it has ended already.
  expect([0, 6]).toContain(await run.ended);
  await allCompleted(here, ids);
  for (const { child } of supervisors) child.kill("SIGTERM");
  expect(await Promise.all(supervisors.map(({ ended }) => ended))).toEqual([0, 0]);
  for (const id of ids) {
    expect(executed(here, id)).toEqual(["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]);
  }
});
