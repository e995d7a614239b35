import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RecordedEvent } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import {
  atCommand,
  begun,
  ccwLoop,
  type Lines,
  PATIENCE,
  shortLease,
} from "../support/processes.ts";
import {
  commitAll,
  hang,
  type Project,
  plan,
  project,
  stateOf,
  write,
} from "../support/project.ts";

/** The journal says what was really done, whoever believes what. */
function executed({ dir }: Project, id: string): string[] {
  const text = readFileSync(join(dir, ".workflow", ".loop", `${id}.journal.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => RecordedEvent.parse(JSON.parse(line)).event)
    .flatMap((event) => {
      if (event.type === "action.completed") return [event.output.action];
      return event.type === "action.interrupted" ? [`${event.action} cut off`] : [];
    });
}

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

test("an owner that was suspended for longer than its lease ends its agent when it wakes, and records no more", async () => {
  const nap = `sleep ${(60 + Math.random()).toFixed(9)}`;
  const naps = { ...hang, steps: [{ run: "echo thinking" }, { run: nap }], answer: "Awake." };
  await using here = await project(plan, naps, naps);
  await commitAll(here);
  await start(here, ["a"]);
  const suspended = shortLease(here.dir);
  await atCommand(suspended, ["a"]);
  const napping = () => processesRunning(nap);
  await vi.waitFor(() => expect(napping()).not.toEqual([]), PATIENCE);
  const asleep = napping();
  suspended.child.kill("SIGSTOP");
  const other = shortLease(here.dir);
  await atCommand(other, ["a"]);
  const before = executed(here, "a");
  expect(before).toEqual(["INIT", "DEVELOP cut off"]);
  expect(napping()).toEqual(expect.arrayContaining(asleep));

  suspended.child.kill("SIGCONT");
  await vi.waitFor(
    () => expect(suspended.records.map(({ record }) => record.type)).toContain("loop.lost"),
    PATIENCE,
  );
  expect(napping().filter((pid) => asleep.includes(pid))).toEqual([]);
  expect(executed(here, "a")).toEqual(before);
  for (const { child } of [suspended, other]) child.kill("SIGTERM");
  expect(await Promise.all([suspended.ended, other.ended])).toEqual([0, 0]);
  expect(other.records.map(({ record }) => record.type)).not.toContain("loop.lost");
  expect(napping()).toEqual([]);
});
