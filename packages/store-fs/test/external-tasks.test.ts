import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { taskCommand, tasksOf } from "@ccw-loop/core";
import { describe, expect, test, vi } from "vitest";
import { beginExternal as begin, beside } from "./external.ts";
import { AT, BY, eventsOf, loopFile } from "./loops.ts";

describe("tasks that somebody else wrote", () => {
  const line = (id: string, more = {}) =>
    `${JSON.stringify({ task_id: id, description: `Do ${id}`, tool: "bash", ...more })}\n`;

  test("lines at the end of the task file become tasks", async () => {
    const { root, store } = await begin();
    appendFileSync(loopFile(root, "a.tasks.jsonl"), line("theirs-1") + line("theirs-2"));
    const { state, revision } = await store.read("a");
    expect(revision).toBe(3);
    expect(tasksOf(state).map((task) => task.id)).toEqual([
      "task-1",
      "task-2",
      "theirs-1",
      "theirs-2",
    ]);
    expect(tasksOf(state)[2]).toMatchObject({ tool: "codex", status: "pending" });
    expect((await eventsOf(store, "a")).at(-1)).toMatchObject({
      actor: "external",
      event: { type: "task.added" },
    });
    expect(beside(root)).toEqual([]);
    const lines = readFileSync(loopFile(root, "a.tasks.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((one) => JSON.parse(one).order)).toEqual([0, 1, 2, 3]);
    expect((await store.read("a")).revision).toBe(3);
    await store.close();
  });

  test("an old task file does not bring back a task that was removed", async () => {
    const { root, store } = await begin();
    const path = loopFile(root, "a.tasks.jsonl");
    const old = readFileSync(path, "utf8");
    await store.append("a", 2, [{ type: "task.removed", at: AT, task_id: "task-2" }], BY);
    writeFileSync(path, old);
    const { state, revision } = await store.read("a");
    expect(revision).toBe(3);
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1"]);
    await vi.waitFor(() => expect(readFileSync(path, "utf8")).not.toContain("task-2"));
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("a command that they give is not taken over, and their file is kept aside", async () => {
    const { root, store } = await begin();
    const path = loopFile(root, "a.tasks.jsonl");
    appendFileSync(path, line("theirs-1", { command: "make" }));
    const text = readFileSync(path, "utf8");
    const { state } = await store.read("a");
    expect(tasksOf(state).map(taskCommand)).toEqual([null, null, null]);
    expect(tasksOf(state)[2]).toMatchObject({ id: "theirs-1", description: "Do theirs-1" });
    expect(readFileSync(`${path}.rejected-2`, "utf8")).toBe(text);
    await store.close();
  });

  test("what is no new task is kept aside", async () => {
    const { root, store } = await begin();
    const text = `${line("task-1", { description: "Changed" })}not a task\n${line("theirs-1")}${line("../x")}`;
    writeFileSync(loopFile(root, "a.tasks.jsonl"), text);
    const { state } = await store.read("a");
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1", "task-2", "theirs-1"]);
    expect(readFileSync(loopFile(root, "a.tasks.jsonl.rejected-2"), "utf8")).toBe(text);
    await store.close();
  });
});
