import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type LoopEvent, type LoopStore, replay } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { type Call, faultyDisk, testStore } from "./faults.ts";
import {
  AT,
  BY,
  codeOf,
  eventsOf,
  initialized,
  loopFile,
  newLoop,
  noted,
  paused,
  readJson,
  started,
  taskAdded,
} from "./loops.ts";
import { makeProject } from "./project.ts";

/** Stands for the death of the process: from here on no call reaches the disk. */
class Crash extends Error {}

/**
 * A disk that dies before its `at`-th changing call, or half-way through it when that writes text. `calls`
 * counts what was called.
 */
function dyingDisk(at: number) {
  const calls: Call[] = [];
  const disk = faultyDisk((call) => {
    if (calls.length >= at) {
      if (calls.length === at) leaveHalf(call);
      calls.push(call);
      throw new Crash();
    }
    calls.push(call);
  });
  return { disk, calls };
}

function leaveHalf({ name, path, text, position = 0 }: Call): void {
  if (name === "removeTree" && existsSync(path)) {
    const names = readdirSync(path);
    for (const one of names.slice(names.length >> 1)) rmSync(join(path, one), { recursive: true });
  }
  if (text === undefined) return;
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT);
  writeSync(fd, text.slice(0, text.length >> 1), position);
  closeSync(fd);
}

const FIRST: LoopEvent[] = [started, initialized("task-1"), noted("old")];
const SECOND: LoopEvent[] = [taskAdded("task-2"), noted("new")];

async function begin(root: string): Promise<void> {
  const store = testStore(root);
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, FIRST, BY);
  await store.close();
}

/** What every file says, as seen by a store that comes later. */
async function expectWhole(root: string, revision: number, notes: string): Promise<void> {
  const store = testStore(root);
  const stored = await store.read("a");
  await store.close();
  const again = testStore(root);
  const { state } = await again.read("a");
  expect(stored.state).toMatchObject({ revision, notes });
  expect(state).toEqual(stored.state);
  const events = await eventsOf(again, "a");
  expect(state).toMatchObject(replay(events.map((one) => one.event)));
  expect(readJson(loopFile(root, "a.json"))).toEqual(state);
  const journal = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8").trimEnd().split("\n");
  expect(journal.map((line) => JSON.parse(line).event)).toEqual(events.map((one) => one.event));
  expect(readFileSync(loopFile(root, "a.progress/develop.md"), "utf8")).toContain("Do task-1");
  const tasks = readFileSync(loopFile(root, "a.tasks.jsonl"), "utf8").trimEnd().split("\n");
  expect(tasks).toHaveLength(notes === "new" ? 2 : 1);
  await again.append("a", revision, [noted("after")], BY);
  await again.close();
}

describe.each([
  { form: {}, what: "a commit" },
  { form: { wholeBelow: 0 }, what: "a commit that tells what it changed" },
])("a crash between any two calls of $what", ({ form }) => {
  async function commitAndCrash(at: number) {
    const root = makeProject();
    await begin(root);
    const { disk, calls } = dyingDisk(at);
    const store = testStore(root, { disk, ...form });
    const outcome = await codeOf(store.append("a", 2, SECOND, BY));
    const dead = calls.length > at;
    if (!dead) await store.close();
    return { root, acknowledged: outcome === "none", dead };
  }

  test("leaves the old state or the new one, and never loses an acknowledged commit", async () => {
    const seen = new Set<string>();
    for (let at = 0; ; at++) {
      const { root, acknowledged, dead } = await commitAndCrash(at);
      const { revision } = await testStore(root).read("a");
      seen.add(`${acknowledged} ${revision}`);
      if (acknowledged) expect(revision).toBe(3);
      await expectWhole(root, revision, revision === 3 ? "new" : "old");
      if (!dead) break;
      expect(at).toBeLessThan(60);
    }
    // Crashes before the commit, after it, and after it was acknowledged did all happen.
    expect(seen).toEqual(new Set(["false 2", "false 3", "true 3"]));
  });
});

test("a crash while old revisions are let go of loses no event", async () => {
  const prepared = makeProject();
  const store = testStore(prepared);
  await store.create(newLoop("a"), BY);
  for (let revision = 1; revision < 95; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
  }
  await store.close();
  const total = readdirSync(loopFile(prepared, "a.history")).length;
  const left = new Set<number>();
  for (let at = 0; ; at += 3) {
    const root = makeProject();
    cpSync(prepared, root, { recursive: true });
    const { disk, calls } = dyingDisk(at);
    const dying = testStore(root, { disk });
    let acknowledged = 95;
    for (let revision = 95; revision < 98; revision++) {
      const work = dying.append("a", revision, [noted(`n${revision}`)], BY);
      if ((await codeOf(work)) === "none") acknowledged = revision + 1;
    }
    left.add(readdirSync(loopFile(root, "a.history")).length);
    const later = testStore(root);
    const { revision } = await later.read("a");
    expect(revision).toBeGreaterThanOrEqual(acknowledged);
    const revisions = (await eventsOf(later, "a")).map((one) => one.revision);
    expect(revisions).toEqual(Array.from({ length: revision }, (_, i) => i + 1));
    await later.append("a", revision, [noted("after")], BY);
    await later.close();
    if (calls.length <= at) break;
  }
  // The last of them did let go of some.
  expect(Math.max(...left)).toBeGreaterThan(total);
  expect(readdirSync(loopFile(prepared, "a.history"))).toHaveLength(total);
}, 60_000);

test("a crash between any two calls of create leaves a whole loop or none", async () => {
  const outcomes = new Set<string>();
  for (let at = 0; ; at++) {
    const root = makeProject();
    const { disk, calls } = dyingDisk(at);
    const store = testStore(root, { disk });
    const acknowledged = (await codeOf(store.create(newLoop("a"), BY))) === "none";
    const dead = calls.length > at;
    if (!dead) await store.close();
    const later = testStore(root);
    const found = await codeOf(later.read("a"));
    outcomes.add(found);
    if (acknowledged) expect(found).toBe("none");
    if (found === "none") expect((await later.read("a")).revision).toBe(1);
    else expect((await later.create(newLoop("a"), BY)).revision).toBe(1);
    await later.close();
    if (!dead) break;
    expect(at).toBeLessThan(60);
  }
  expect(outcomes).toEqual(new Set(["loop_not_found", "none"]));
});

/** What may meet the remains of a loop first. */
const FIRST_LOOK = {
  read: (store: LoopStore) => store.read("a"),
  append: (store: LoopStore) => store.append("a", 3, [noted("late")], BY),
  list: (store: LoopStore) => store.list(),
  claim: (store: LoopStore) => store.claim("a", "me", 1000),
  recover: (store: LoopStore) => store.recover("a", { dryRun: true, at: AT }),
  remove: (store: LoopStore) => store.remove("a"),
  create: (store: LoopStore) => store.create(newLoop("a"), BY),
};

test.each(Object.entries(FIRST_LOOK))(
  "a crash between any two calls of remove leaves a whole loop or none when the next call is %s",
  { tags: ["slow"] },
  async (name, look) => {
    const outcomes = new Set<string>();
    for (let at = 0; ; at++) {
      const root = makeProject();
      await begin(root);
      const before = testStore(root);
      await before.append("a", 2, [paused], BY);
      await before.close();
      const { disk, calls } = dyingDisk(at);
      const acknowledged = (await codeOf(testStore(root, { disk }).remove("a"))) === "none";
      const later = testStore(root);
      const code = await codeOf(look(later));
      const found = await codeOf(later.read("a"));
      const isNew = name === "create" && code === "none";
      outcomes.add(isNew ? "loop_not_found" : found);
      if (acknowledged) expect([found, isNew]).toEqual([isNew ? "none" : "loop_not_found", isNew]);
      if (found === "none") {
        const { state } = await later.read("a");
        expect([undefined, "old", "late"]).toContain(state.notes);
        expect(await eventsOf(later, "a")).toHaveLength(isNew ? 1 : name === "append" ? 6 : 5);
      } else {
        expect((await later.list()).total).toBe(0);
        expect(namesOf(root)).toEqual([]);
      }
      await later.close();
      if (calls.length <= at) break;
      expect(at).toBeLessThan(60);
    }
    expect(outcomes).toEqual(
      new Set(name === "remove" ? ["loop_not_found"] : ["loop_not_found", "none"]),
    );
  },
);

/** What there is of loops, without what a dead process was just working on. */
function namesOf(root: string): string[] {
  return readdirSync(loopFile(root, "")).filter((name) => !name.startsWith("."));
}
