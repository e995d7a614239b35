/** Another program that saves again before it can have seen what we made of its last save. */
import { readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { isLoopError, type LoopStore } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { fsStore } from "../src/index.ts";
import { messageOf, startChild } from "./child.ts";
import { beginExternal as begin, beside } from "./external.ts";
import { testStore } from "./faults.ts";
import { AT, BY, eventsOf, noted, readJson, taskAdded } from "./loops.ts";

/** Commits to other fields than the editor's until it is done. */
async function commitUntil(done: Promise<unknown>, store: LoopStore): Promise<number> {
  let running = true;
  void done.finally(() => {
    running = false;
  });
  let commits = 0;
  while (running) {
    const { revision } = await store.read("a");
    const changes = { max_iterations: 10 + (commits % 7) };
    try {
      await store.append("a", revision, [{ type: "loop.edited", at: AT, changes }], BY);
      commits += 1;
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
    }
  }
  return commits;
}

describe("sixty edits, one every five milliseconds", () => {
  test.each([
    ["that reads the file before each of them", "again", 1],
    ["that reads it once", "once", 1],
    ["that reads it before each, beside two of us", "again", 2],
  ])(
    "of a program %s are no conflicts, and the last ones stand",
    async (_, reads, stores) => {
      const { root, store, path } = await begin();
      const others = Array.from({ length: stores - 1 }, () => fsStore({ root }));
      const edited = messageOf<Record<string, unknown>>(startChild("editor", path, reads));
      const commits = await Promise.all([store, ...others].map((one) => commitUntil(edited, one)));
      const last = await edited;
      expect(Math.min(...commits)).toBeGreaterThan(0);
      await Promise.all([store, ...others].map((one) => one.close()));
      const later = fsStore({ root });
      expect((await later.read("a")).state).toMatchObject(last);
      expect(beside(root)).toEqual([]);
      await later.close();
    },
    60_000,
  );
});

/** Saves a document with other fields, as if it had been written so many seconds later. */
function saveAt(path: string, document: object, change: object, seconds: number): void {
  writeFileSync(`${path}.mine`, JSON.stringify({ ...document, ...change }));
  utimesSync(`${path}.mine`, seconds, seconds);
  renameSync(`${path}.mine`, path);
}

describe("a save that was made before we had taken in the one before it", () => {
  async function begun() {
    const { root, store, path } = await begin();
    const save = async (document: object, change: object, seconds: number) => {
      saveAt(path, document, change, seconds);
      return (await store.read("a")).state;
    };
    const opened = readJson(path);
    await store.append("a", 2, [taskAdded("task-3")], BY);
    return { root, store, path, save, opened, again: readJson(path) };
  }

  test("is no conflict with it", async () => {
    const { root, store, save, opened, again } = await begun();
    await save(opened, { notes: "one", title: "Theirs" }, 1000);
    const state = await save(again, { notes: "two" }, 1001);
    expect(state).toMatchObject({ notes: "two", title: "Theirs" });
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("does not come back over it when it is found later", async () => {
    const { root, store, save, opened, again } = await begun();
    await save(again, { notes: "two", title: "Theirs" }, 1001);
    const state = await save(opened, { notes: "one" }, 1000);
    expect(state).toMatchObject({ notes: "two", title: "Theirs" });
    const { event } = (await eventsOf(store, "a")).at(-1) ?? {};
    expect(event).toMatchObject({ theirs: { notes: "one" }, superseded: ["notes"] });
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("is one with what we changed there since", async () => {
    const { root, store, save, opened, again } = await begun();
    const { revision } = await save(opened, { notes: "one", title: "Theirs" }, 1000);
    await store.append("a", revision ?? 0, [noted("ours")], BY);
    const state = await save(again, { notes: "two", title: "Theirs again" }, 1001);
    expect(state).toMatchObject({ notes: "ours", title: "Theirs again" });
    expect(beside(root)).toEqual(["a.json.conflict-5"]);
    expect((await eventsOf(store, "a")).at(-1)?.event).toMatchObject({ kept_aside: ["notes"] });
    await store.close();
  });

  test("is one with what we changed there, also where another edit has a copy of that", async () => {
    const { root, store, path, save, again } = await begun();
    const described = (document: typeof again, id: string, description: string) => {
      const copy = structuredClone(document);
      for (const task of copy.skill_state.develop.tasks) {
        if (task.id === id) task.description = description;
      }
      return copy;
    };
    const changes = { description: "Ours" };
    const edited = { type: "task.edited" as const, at: AT, task_id: "task-1", changes };
    await store.append("a", 3, [edited], BY);
    await save(described(readJson(path), "task-2", "Theirs"), {}, 1000);
    const state = await save(described(again, "task-1", "Theirs"), {}, 1001);
    expect(state.skill_state?.develop.tasks).toMatchObject([
      { description: "Ours" },
      { description: "Theirs" },
      { id: "task-3" },
    ]);
    expect(beside(root)).toHaveLength(1);
    await store.close();
  });

  test("may change the same task, and take one out", async () => {
    const { root, store, save, opened, again } = await begun();
    const tasks = (
      document: { skill_state: { develop: { tasks: object[] } } },
      ...list: object[]
    ) => ({
      skill_state: {
        ...document.skill_state,
        develop: { ...document.skill_state.develop, tasks: list },
      },
    });
    const [first, second] = opened.skill_state.develop.tasks;
    const [, , third] = again.skill_state.develop.tasks;
    await save(opened, tasks(opened, { ...first, description: "One" }, second), 1000);
    const state = await save(again, tasks(again, { ...first, description: "Two" }, third), 1001);
    expect(state.skill_state?.develop.tasks).toMatchObject([
      { id: "task-1", description: "Two" },
      { id: "task-3" },
    ]);
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("a new save of what we had is known after the history has let go of that", async () => {
    const { root, store, path, save, opened } = await begun();
    await save(opened, { notes: "one", their_field: 1 }, 1000);
    for (let n = 0; n < 100; n++) {
      const { revision } = await store.read("a");
      const changes = { max_iterations: n % 2 === 0 ? 11 : 12 };
      await store.append("a", revision, [{ type: "loop.edited", at: AT, changes }], BY);
    }
    const state = await save(opened, { notes: "two", their_field: 1 }, 1001);
    expect(state).toMatchObject({ notes: "two", max_iterations: 12, their_field: 1 });
    expect(readFileSync(path, "utf8")).toContain("two");
    expect(beside(root)).toEqual([]);
    await store.close();
  }, 30_000);
});

test("what a save changed stays when we put the document that it was made from over it once more, and the next one is made from that", async () => {
  const { root, store, path } = await begin();
  const disk = nodeDisk("process");
  const opened: object[] = [];
  const slow = testStore(root, {
    disk: {
      ...disk,
      replace: (from, to) => {
        if (to !== path || opened.length > 0) return disk.replace(from, to);
        // As another store of ours that publishes the same revision a moment earlier.
        writeFileSync(path, readFileSync(from));
        opened.push(readJson(path));
        saveAt(path, readJson(path), { notes: "one", title: "Theirs" }, 1000);
        const displaced = disk.replace(from, to);
        opened.push(readJson(path));
        return displaced;
      },
    },
  });
  await slow.append("a", 2, [taskAdded("task-3")], BY);
  const [first, second] = opened;
  expect(second).toEqual(first);
  saveAt(path, second ?? {}, { notes: "two" }, 1001);
  expect((await slow.read("a")).state).toMatchObject({ notes: "two", title: "Theirs" });
  expect(beside(root)).toEqual([]);
  await Promise.all([slow.close(), store.close()]);
});
