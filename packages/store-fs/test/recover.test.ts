import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type LoopEvent, type LoopState, type LoopStore, tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import {
  AT,
  BY,
  codeOf,
  eventsOf,
  filesBelow,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
  taskAdded,
} from "./loops.ts";
import { makeProject } from "./project.ts";

const LATER = "2026-01-23T00:00:00.000Z";
const DONE: LoopEvent = {
  type: "action.completed",
  at: AT,
  action: "DEVELOP",
  active_ms: 5,
  message: "",
  output: { action: "DEVELOP", task_id: "task-1", summary: "Done `so`.", files_changed: ["a.ts"] },
};

/** A loop at revision 4 with history, journal, documents and tasks, and the state it had. */
async function begin(): Promise<{ root: string; before: LoopState }> {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a", { description: "What was asked for" }), BY);
  await store.append("a", 1, [started, initialized("task-1", "task-2")], BY);
  await store.append("a", 2, [DONE], BY);
  const { state } = await store.append("a", 3, [noted("n"), taskAdded("task-3")], BY);
  await store.close();
  return { root, before: state };
}

async function withStore<T>(root: string, work: (store: LoopStore) => Promise<T>): Promise<T> {
  const store = fsStore({ root });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Recovers twice, first only asking; the files must not change before the second time. */
async function recoverAfterAsking(root: string) {
  return withStore(root, async (store) => {
    const untouched = filesBelow(root);
    const plan = await store.recover("a", { dryRun: true, at: LATER });
    expect(filesBelow(root)).toEqual(untouched);
    const recovery = await store.recover("a", { dryRun: false, at: LATER });
    expect(recovery).toMatchObject({ source: plan.source, unknown: plan.unknown });
    const { state } = await store.read("a");
    expect(recovery.state).toEqual(state);
    expect(readJson(loopFile(root, "a.json"))).toEqual(state);
    const { etag, revision, updated_at, ...told } = plan.state;
    expect(state).toMatchObject(told);
    return { ...recovery, events: await eventsOf(store, "a") };
  });
}

const remove = (root: string, ...names: string[]) => {
  for (const name of names) rmSync(loopFile(root, name), { recursive: true });
};
const same = ({ revision: _, etag: __, ...rest }: LoopState) => rest;

describe("a damaged state file", () => {
  test.each(["", "{", '{"loop_id":"a"}}'])(
    "%j heals by itself while the history is whole",
    async (text) => {
      const { root, before } = await begin();
      writeFileSync(loopFile(root, "a.json"), text);
      await withStore(root, async (store) => expect((await store.read("a")).state).toEqual(before));
      expect(readFileSync(loopFile(root, "a.json.rejected-4"), "utf8")).toBe(text);
    },
  );
});

describe("recovery from history and journal", () => {
  test("of a whole loop publishes it again and commits nothing", async () => {
    const { root, before } = await begin();
    remove(root, "a.json", "a.progress", "a.tasks.jsonl");
    const { source, state, unknown, events } = await recoverAfterAsking(root);
    expect({ source, state, unknown }).toEqual({ source: "journal", state: before, unknown: [] });
    expect(events).toHaveLength(6);
    expect(readdirSync(loopFile(root, "a.progress"))).toContain("develop.md");
  });

  test("when the newest revision is damaged the journal still tells it", async () => {
    const { root, before } = await begin();
    writeFileSync(loopFile(root, "a.history/0000000004.json"), "");
    remove(root, "a.json");
    expect(await withStore(root, (store) => codeOf(store.read("a")))).toBe("store_corrupt");
    const { source, state, unknown, events } = await recoverAfterAsking(root);
    expect(source).toBe("journal");
    expect(unknown).toEqual([]);
    expect(same(state)).toEqual(same(before));
    expect(state.revision).toBe(5);
    expect(events.at(-1)?.event.type).toBe("loop.recovered");
    expect(readdirSync(loopFile(root, "a.history"))).toContain("0000000004.json.damaged");
  });

  test("when history and journal end early the state file still tells it", async () => {
    const { root, before } = await begin();
    writeFileSync(loopFile(root, "a.history/0000000004.json"), "{}");
    const journal = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8").split("\n");
    writeFileSync(loopFile(root, "a.journal.jsonl"), journal.slice(0, 3).join("\n"));
    const { state } = await recoverAfterAsking(root);
    expect(same(state)).toEqual(same(before));
  });

  test("without any history it is the journal folded", async () => {
    const { root, before } = await begin();
    remove(root, "a.history", "a.json");
    expect(await withStore(root, (store) => codeOf(store.read("a")))).toBe("loop_not_found");
    const { source, state, events } = await recoverAfterAsking(root);
    expect(source).toBe("journal");
    expect(same(state)).toEqual(same(before));
    expect(events.map((one) => one.revision)).toEqual([1, 2, 2, 3, 4, 4, 5]);
  });

  test("a commit of which the journal has half is none", async () => {
    const { root } = await begin();
    remove(root, "a.history", "a.json", "a.tasks.jsonl");
    const journal = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8").trimEnd().split("\n");
    writeFileSync(loopFile(root, "a.journal.jsonl"), `${journal.slice(0, -1).join("\n")}\n`);
    const { state } = await recoverAfterAsking(root);
    expect(state.notes).toBeUndefined();
    expect(tasksOf(state)[0]?.status).toBe("completed");
  });

  test("what nobody can tell any more is said to be lost", async () => {
    const { root } = await begin();
    for (const revision of [3, 4])
      writeFileSync(loopFile(root, `a.history/000000000${revision}.json`), "");
    remove(root, "a.json", "a.journal.jsonl", "a.tasks.jsonl");
    const { state, notes } = await recoverAfterAsking(root);
    expect(notes.join()).toContain("Revisions 3 to 4 are lost");
    expect(tasksOf(state).map((task) => task.status)).toEqual(["pending", "pending"]);
    expect(state.revision).toBe(5);
  });

  test("a history that was deleted under a whole state file is gone on from", async () => {
    const { root, before } = await begin();
    remove(root, "a.history");
    await withStore(root, async (store) => {
      const { state, revision } = await store.read("a");
      expect(same(state)).toEqual(same(before));
      expect(revision).toBe(5);
      await store.append("a", 5, [noted("on")], BY);
      const { epoch } = await store.claim("a", "me", 1000);
      await store.append("a", 6, [noted("on")], { ...BY, epoch });
    });
  });
});

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

test("who drives a damaged loop is told", async () => {
  const { root } = await begin();
  await withStore(root, async (store) => {
    expect(await store.ownerOf("a")).toBeNull();
    const lease = await store.claim("a", "one", 60_000);
    for (const name of ["a.history/0000000004.json", "a.json"])
      writeFileSync(loopFile(root, name), "");
    expect(await codeOf(store.read("a"))).toBe("store_corrupt");
    expect(await store.ownerOf("a")).toBe("one");
    await store.release(lease);
    expect(await store.ownerOf("a")).toBeNull();
  });
});

test("a damaged loop is listed, and can be removed", async () => {
  const { root } = await begin();
  writeFileSync(loopFile(root, "b.json"), "}{");
  writeFileSync(loopFile(root, "a.history/0000000004.json"), "");
  remove(root, "a.json");
  await withStore(root, async (store) => {
    const page = await store.list();
    expect(page.damaged.map(({ id }) => id).sort()).toEqual(["a", "b"]);
    expect(page.damaged[0]?.reason).toContain("ccw-loop recover");
    await store.remove("a");
    await store.remove("b");
    expect(await store.list()).toEqual({ loops: [], total: 0, damaged: [] });
  });
  expect(readdirSync(loopFile(root, ""))).toEqual([".gitignore"]);
});
