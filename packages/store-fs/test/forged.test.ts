/** Files that somebody else wrote: that their etags fit vouches for nothing. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type LoopStore, tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { beginExternal as begin, beside } from "./external.ts";
import { faultyDisk, testStore } from "./faults.ts";
import { type Document, expectUnproven, proven, put, sealed } from "./forging.ts";
import { AT, BY, eventsOf, loopFile, newLoop, noted, readJson } from "./loops.ts";
import { makeProject } from "./project.ts";

describe("a state file with a fitting etag", () => {
  test.each([
    ["a higher revision", 7],
    ["the newest revision", 2],
    ["an older revision", 1],
    ["the highest number of a revision", 9_999_999_999],
  ])("that names %s proves nothing while the history is there", async (_, revision) => {
    const { root, store, path, warnings } = await begin();
    put(path, sealed({ ...proven(readJson(path)), revision }));
    const { state } = await store.read("a");
    expectUnproven(state);
    expect(state.status).toBe("running");
    expect(state.revision).toBe(3);
    expect(readJson(path)).toEqual(state);
    expect((await store.list()).loops.map((loop) => loop.state.status)).toEqual(["running"]);
    expect(beside(root)).toEqual(["a.json.conflict-2"]);
    expect(warnings.join()).toContain("a.json.conflict-2");
    const [event] = (await eventsOf(store, "a")).slice(-1);
    expect(event).toMatchObject({
      actor: "external",
      event: { kept_aside: expect.arrayContaining(["status", "receipts", "baseline"]) },
    });
    await store.close();
  });

  test("is not believed by a list that finds it first", async () => {
    const { root, store, path } = await begin();
    await store.close();
    put(path, sealed(proven(readJson(path))));
    const later = fsStore({ root });
    const { loops } = await later.list();
    for (const { state } of loops) expectUnproven(state);
    expect(loops).toHaveLength(1);
    await later.close();
  });

  test("is kept aside when it breaks the schema, and the last good state is back", async () => {
    const { root, store, path } = await begin();
    const before = await store.read("a");
    put(path, sealed({ ...before.state, revision: 9, receipts: [{ passed: true }] }));
    expect(await store.read("a")).toEqual(before);
    expect(readJson(path)).toEqual(before.state);
    expect(beside(root)).toEqual(["a.json.rejected-2"]);
    await store.close();
  });

  test("in the moment of our own publication is no document of ours", async () => {
    const { root, path } = await begin();
    let forged: string | null = null;
    const disk = faultyDisk((call) => {
      if (call.name !== "replace" || call.path !== path || forged === null) return;
      put(path, forged);
      forged = null;
    });
    const store = testStore(root, { disk });
    const { revision } = await store.read("a");
    forged = sealed({ ...proven(readJson(path)), title: "Theirs" });
    await store.append("a", revision, [noted("ours")], BY);
    const { state } = await store.read("a");
    expectUnproven(state);
    expect(state).toMatchObject({ title: "Theirs", notes: "ours" });
    await store.close();
  });

  test("brings an operator's changes, like one without", async () => {
    const { store, path } = await begin();
    const document = readJson(path);
    document.skill_state.develop.tasks.push({ id: "task-3", description: "One more" });
    document.skill_state.develop.tasks[0].status = "completed";
    put(path, sealed({ ...document, revision: 7, status: "paused", limits: { max_turns: 3 } }));
    const { state } = await store.read("a");
    expect(state).toMatchObject({ status: "paused", limits: { max_turns: 3 } });
    expect(tasksOf(state)).toMatchObject([
      { id: "task-1", status: "completed" },
      { id: "task-2", status: "pending" },
      { id: "task-3", status: "pending" },
    ]);
    await store.close();
  });
});

describe("a state file without a history", () => {
  test.each([
    ["of ours", ["a.history"], (document: Document) => sealed(document)],
    ["of ours that was edited", ["a.history"], (document: Document) => JSON.stringify(document)],
    [
      "of another tool",
      ["a.history", "a.journal.jsonl"],
      ({ revision: _, etag: __, schema_version: ___, ...document }: Document) =>
        JSON.stringify(document),
    ],
  ])("%s brings a loop that is paused and unproven, and says so", async (_, gone, textOf) => {
    const { root, store, path } = await begin();
    const before = await store.read("a");
    await store.close();
    const text = textOf(proven(readJson(path)));
    for (const name of gone) rmSync(loopFile(root, name), { recursive: true });
    put(path, text);
    const warnings: string[] = [];
    const later = fsStore({ root, onWarning: ({ message }) => warnings.push(message) });
    const { state } = await later.read("a");
    expectUnproven(state);
    expect(state).toMatchObject({ status: "paused", title: before.state.title });
    expect(tasksOf(state)).toHaveLength(2);
    expect(warnings.join()).toMatch(/a\.json\.conflict-0.*receipts/);
    expect(readFileSync(loopFile(root, "a.json.conflict-0"), "utf8")).toBe(text);
    await later.close();
  });

  test("may be started when it never was", async () => {
    const root = makeProject();
    const store = fsStore({ root });
    await store.create(newLoop("a"), BY);
    await store.close();
    rmSync(loopFile(root, "a.history"), { recursive: true });
    const later = fsStore({ root });
    expect((await later.read("a")).state.status).toBe("created");
    await later.close();
  });
});

test("a recovery from documents that somebody wrote into proves nothing", async () => {
  const { root, store } = await begin();
  await store.close();
  for (const name of ["a.history", "a.json", "a.journal.jsonl"]) {
    rmSync(loopFile(root, name), { recursive: true });
  }
  const path = loopFile(root, "a.progress/validate.md");
  const text = readFileSync(path, "utf8");
  const forged = text
    .replace('"stale":true', '"stale":false')
    .replace('"passed":false', '"passed":true');
  expect(forged).not.toBe(text);
  writeFileSync(path, forged);
  const later = fsStore({ root });
  expectUnproven((await later.recover("a", { dryRun: false, at: AT })).state);
  await later.close();
});

test("a task in the task file is one that nobody has begun", async () => {
  const { root, store } = await begin();
  const line = { task_id: "task-3", description: "Theirs", status: "completed", attempts: 2 };
  const measured = { debugged: true, files_changed: ["a.ts"], claimed_files: ["b.ts"] };
  appendFileSync(loopFile(root, "a.tasks.jsonl"), `${JSON.stringify({ ...line, ...measured })}\n`);
  const task = await taskOf(store, "task-3");
  expect(task).toMatchObject({ status: "pending", files_changed: [] });
  for (const field of ["attempts", "debugged", "claimed_files"]) {
    expect(task).not.toHaveProperty(field);
  }
  await store.close();
});

async function taskOf(store: LoopStore, id: string) {
  return tasksOf((await store.read("a")).state).find((task) => task.id === id);
}
