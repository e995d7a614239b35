/** Two stores on one loop, one of which is overtaken by the other at the worst moment. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tasksOf } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { faultyDisk, hidingDisk, osError, testStore } from "./faults.ts";
import {
  AT,
  BY,
  codeOf,
  developed,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
  taskAdded,
} from "./loops.ts";
import { makeProject } from "./project.ts";

const COUNTER = new URL("children/counter.ts", import.meta.url).pathname;

async function begin() {
  const root = makeProject();
  const other = testStore(root);
  await other.create(newLoop("a"), BY);
  await other.append("a", 1, [started, initialized("task-1")], BY);
  return { root, other };
}

test("a slow publication does not bring back what was published before", async () => {
  const { root, other } = await begin();
  const { disk, reveal } = hidingDisk(4);
  let syncs = 0;
  const slow = testStore(root, {
    disk: {
      ...disk,
      syncFolder: async () => {
        syncs += 1;
        // The first one makes sure of what this commit rests on.
        if (syncs !== 2) return;
        await other.read("a");
        await other.append("a", 3, [noted("newest")], BY);
      },
      replace: (from, to) => {
        reveal();
        return disk.replace(from, to);
      },
    },
  });
  await slow.append("a", 2, [noted("older")], BY);
  expect(readJson(loopFile(root, "a.json"))).toMatchObject({ revision: 4, notes: "newest" });
  await Promise.all([slow.close(), other.close()]);
});

test("a task file that is newer than what was read adds no task twice", async () => {
  const { root, other } = await begin();
  const { disk, reveal } = hidingDisk(3);
  const before = readFileSync(loopFile(root, "a.json"), "utf8");
  let tasksRead = 0;
  const slow = testStore(root, {
    disk: {
      ...disk,
      // The document is looked at before the other store commits, the task file after it.
      read: (path) => {
        if (path.endsWith("a.json") && tasksRead < 2) return before;
        if (path.endsWith("tasks.jsonl") && ++tasksRead === 2) reveal();
        return disk.read(path);
      },
    },
  });
  await slow.read("a");
  await other.append("a", 2, [taskAdded("task-2")], BY);
  const { state, revision } = await slow.read("a");
  expect(tasksRead).toBeGreaterThan(1);
  expect(revision).toBe(3);
  expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1", "task-2"]);
  await Promise.all([slow.close(), other.close()]);
});

test("several commits that somebody could not publish are published whole", async () => {
  const { root, other } = await begin();
  await other.read("a");
  const disk = faultyDisk((call) => {
    if (["write", "writeAt", "replace"].includes(call.name)) throw osError("ENOSPC");
  });
  const failing = testStore(root, { disk });
  await failing.append("a", 2, [developed("task-1", "", "made.ts")], BY);
  await failing.append("a", 3, [{ type: "waiting.ended", at: AT, reason: "" }], BY);
  await failing.close();
  expect((await other.read("a")).revision).toBe(4);
  await other.close();
  expect(readJson(loopFile(root, "a.json")).revision).toBe(4);
  expect(readFileSync(loopFile(root, "a.progress/changes.log"), "utf8")).toContain("made.ts");
});

test("whoever is overtaken between deciding and committing is told", async () => {
  const { root, other } = await begin();
  const disk = nodeDisk("process");
  let links = 0;
  const slow = testStore(root, {
    disk: {
      ...disk,
      link(from, to) {
        links += 1;
        if (links === 1) execFileSync(process.execPath, [COUNTER, root, "1"]);
        disk.link(from, to);
      },
    },
  });
  expect(await codeOf(slow.append("a", 2, [noted("second")], BY))).toBe("revision_conflict");
  expect(links).toBe(1);
  expect(await slow.read("a")).toMatchObject({ revision: 3, state: { notes: "1" } });
  await Promise.all([slow.close(), other.close()]);
});

test("a commit that was let go of before its writer looked at it again is no conflict", async () => {
  const { root, other } = await begin();
  const disk = nodeDisk("process");
  const slow = testStore(root, {
    disk: {
      ...disk,
      link(from, to) {
        disk.link(from, to);
        if (to.endsWith("3.json")) execFileSync(process.execPath, [COUNTER, root, "120"]);
      },
    },
  });
  expect(await slow.append("a", 2, [noted("7")], BY)).toMatchObject({
    revision: 3,
    state: { notes: "7" },
  });
  expect(await slow.read("a")).toMatchObject({ revision: 123, state: { notes: "127" } });
  await Promise.all([slow.close(), other.close()]);
});
