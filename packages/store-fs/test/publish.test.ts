import { readFileSync, rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { fsStore } from "../src/index.ts";
import { type Call, faultyDisk, osError, testStore } from "./faults.ts";
import {
  AT,
  BY,
  eventsOf,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
} from "./loops.ts";
import { makeProject } from "./project.ts";

test.each([
  { what: "the state file", hits: (call: Call) => call.name === "replace" },
  { what: "the journal", hits: (call: Call) => call.name === "writeAt" },
  { what: "the documents", hits: (call: Call) => call.path.includes(".progress") },
  { what: "any draft", hits: (call: Call) => call.name === "write" },
])("a disk that is full when $what is published loses no commit", async ({ hits }) => {
  const root = makeProject();
  let full = false;
  const warnings: string[] = [];
  const disk = faultyDisk((call) => {
    if (full && hits(call)) throw osError("ENOSPC");
  });
  const store = testStore(root, { disk, warn: (_, message) => warnings.push(message) });
  await store.create(newLoop("a"), BY);
  full = true;
  await store.append("a", 1, [started, initialized("task-1")], BY);
  await store.append("a", 2, [noted("x")], BY);
  expect((await store.read("a")).state).toMatchObject({ revision: 3, notes: "x" });
  expect(warnings[0]).toContain("The disk is full");
  full = false;
  await store.append("a", 3, [noted("y")], BY);
  await store.close();

  expect(readJson(loopFile(root, "a.json"))).toMatchObject({ revision: 4, notes: "y" });
  const journal = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8").trimEnd().split("\n");
  expect(journal.map((line) => JSON.parse(line).revision)).toEqual([1, 2, 2, 3, 4]);
  expect(readFileSync(loopFile(root, "a.progress/develop.md"), "utf8")).toContain("Do task-1");
});

test("the public files are current when append answers", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  for (let revision = 1; revision < 10; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
    expect(readJson(loopFile(root, "a.json")).notes).toBe(`n${revision}`);
  }
  await store.close();
});

test("a storm of commits shares its publications, and the last one is published", async () => {
  const root = makeProject();
  let published = 0;
  const disk = faultyDisk((call) => {
    if (call.name === "replace") published += 1;
  });
  const store = testStore(root, { disk });
  await store.create(newLoop("a"), BY);
  for (let revision = 1; revision <= 300; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
  }
  await vi.waitFor(() => expect(readJson(loopFile(root, "a.json")).notes).toBe("n300"));
  expect(published).toBeLessThan(250);
  await store.close();
});

test.each(["power", "process"] as const)(
  "a storm of commits (%s) leaves time for others",
  async (durability) => {
    const store = fsStore({ root: makeProject(), durability });
    await store.create(newLoop("a"), BY);
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    for (let revision = 1; revision <= 200; revision++) {
      await store.append("a", revision, [noted(`n${revision}`)], BY);
    }
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
    await store.close();
  },
);

test("what is missing in public is written again by the next reader", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [started, initialized("task-1")], BY);
  await store.close();
  for (const name of ["a.json", "a.journal.jsonl", "a.tasks.jsonl", "a.progress"]) {
    rmSync(loopFile(root, name), { recursive: true });
  }
  const later = fsStore({ root });
  const { state } = await later.read("a");
  await later.close();
  expect(readJson(loopFile(root, "a.json"))).toEqual(state);
  expect(readJson(loopFile(root, "a.tasks.jsonl")).task_id).toBe("task-1");
  expect(readFileSync(loopFile(root, "a.progress/develop.md"), "utf8")).toContain("Do task-1");
  expect(await eventsOf(later, "a")).toHaveLength(3);
});

test("documents are written when what they say changes, and only then", async () => {
  const root = makeProject();
  const written: string[] = [];
  const disk = faultyDisk((call) => {
    if (call.name === "replace" && call.path.includes("a.progress/")) written.push(call.path);
  });
  const store = testStore(root, { disk });
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [started, initialized("task-1")], BY);
  written.length = 0;
  await store.append(
    "a",
    2,
    [{ type: "agent.attached", at: AT, driver: "x", session_id: null }],
    BY,
  );
  expect(written).toEqual([]);
  await store.append("a", 3, [{ type: "task.removed", at: AT, task_id: "task-1" }], BY);
  expect(written.map((path) => path.split("/").at(-1))).toEqual(["develop.md"]);
  await store.close();
});
