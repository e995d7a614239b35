import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";

import { AT, codeOf, loopFile, newLoop } from "./loops.ts";
import { makeProject } from "./project.ts";
import { begin, LATER, recoverAfterAsking, remove, withStore } from "./recovering.ts";

describe("recovery from documents", () => {
  test("gives the same skill_state, tasks and what the documents say of the loop", async () => {
    const { root, before } = await begin();
    remove(root, "a.history", "a.journal.jsonl");
    writeFileSync(loopFile(root, "a.json"), '{"loop_id": "a", "ti');
    expect(await withStore(root, (store) => codeOf(store.read("a")))).toBe("store_corrupt");
    const { source, state, unknown } = await recoverAfterAsking(root);
    expect(source).toBe("documents");
    expect(state.skill_state).toEqual(before.skill_state);
    expect(state).toMatchObject({
      loop_id: "a",
      title: before.title,
      description: "What was asked for",
      status: "paused",
      current_iteration: 1,
    });
    expect(unknown).toEqual(expect.arrayContaining(["status", "notes", "receipts"]));
    expect(unknown).not.toContain("title");
    expect(readFileSync(loopFile(root, "a.json.damaged-0"), "utf8")).toBe('{"loop_id": "a", "ti');
  });

  /** Cuts every document off before its last line, which holds the data. */
  const cutOff = (root: string) => {
    for (const name of ["develop.md", "debug.md", "validate.md"]) {
      const path = loopFile(root, `a.progress/${name}`);
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.slice(0, text.lastIndexOf("<!-- ccw-loop")));
    }
  };

  test("of which develop.md is gone still tells what it is, when it began and how far it came", async () => {
    const { root, before } = await begin();
    remove(root, "a.history", "a.journal.jsonl", "a.json", "a.progress/develop.md");
    const { state, unknown } = await recoverAfterAsking(root);
    expect(state).toMatchObject({
      description: "What was asked for",
      created_at: AT,
      max_iterations: before.max_iterations,
      current_iteration: 1,
      status: "paused",
    });
    expect(state.title).not.toBe("a");
    for (const field of ["title", "description", "created_at", "current_iteration"]) {
      expect(unknown).not.toContain(field);
    }
  });

  test("that were cut off says so, and has the tasks of the task file", async () => {
    const { root } = await begin();
    remove(root, "a.history", "a.journal.jsonl", "a.json");
    cutOff(root);
    const { state, unknown, notes } = await recoverAfterAsking(root);
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1", "task-2", "task-3"]);
    expect(unknown).toEqual(expect.arrayContaining(["title", "created_at", "skill_state"]));
    for (const name of ["develop.md", "debug.md", "validate.md"]) {
      expect(notes).toContain(`${name}: its data part is missing.`);
    }
  });

  test("with nothing but a task file the tasks come back, and all else is unknown", async () => {
    const { root } = await begin();
    remove(root, "a.history", "a.journal.jsonl", "a.json", "a.progress");
    const { state, unknown } = await recoverAfterAsking(root);
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1", "task-2", "task-3"]);
    expect(state.skill_state).toBeUndefined();
    expect(unknown).toEqual(
      expect.arrayContaining(["title", "created_at", "status", "skill_state"]),
    );
  });

  test("a state file with too much behind its end gives what stands before", async () => {
    const root = makeProject();
    mkdirSync(loopFile(root, ""), { recursive: true });
    const text = `${JSON.stringify(newLoop("a", { title: 'A } in a " title' }), null, 2)}\n}}`;
    writeFileSync(loopFile(root, "a.json"), text);
    expect(await withStore(root, (store) => codeOf(store.read("a")))).toBe("store_corrupt");
    const { state, unknown, notes } = await recoverAfterAsking(root);
    expect(state).toMatchObject({ title: 'A } in a " title', status: "created" });
    expect(unknown).toEqual([]);
    expect(notes[0]).toContain("2 characters too many");
    expect(readFileSync(loopFile(root, "a.json.damaged-0"), "utf8")).toBe(text);
  });

  test("of a loop that only was not looked at yet adopts it", async () => {
    const root = makeProject();
    mkdirSync(loopFile(root, ""), { recursive: true });
    writeFileSync(loopFile(root, "a.json"), JSON.stringify(newLoop("a")));
    const { unknown, events } = await recoverAfterAsking(root);
    expect(unknown).toEqual([]);
    expect(events.map((one) => one.event.type)).toEqual(["loop.created"]);
  });

  test("of nothing is refused", async () => {
    const root = makeProject();
    await withStore(root, async (store) => {
      const work = store.recover("a", { dryRun: false, at: LATER });
      expect(await codeOf(work)).toBe("loop_not_found");
    });
    expect(readdirSync(root)).toEqual([]);
  });
});
