import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type LoopStore, tasksOf } from "@ccw-loop/core";
import { describe, expect, test, vi } from "vitest";
import { fsStore } from "../src/index.ts";
import { beginExternal as begin, beside } from "./external.ts";
import { faultyDisk, testStore } from "./faults.ts";
import {
  AT,
  BY,
  codeOf,
  eventsOf,
  loopFile,
  newLoop,
  noted,
  readJson,
  taskAdded,
} from "./loops.ts";

const lastEvent = async (store: LoopStore) => (await eventsOf(store, "a")).at(-1)?.event;
describe("a document that somebody else wrote", () => {
  test("is taken in at the next read", async () => {
    const { root, store, edit } = await begin();
    edit((document) => {
      document.title = "Theirs";
      document.their_field = { kept: true };
    });
    const { state, revision } = await store.read("a");
    expect(state).toMatchObject({ title: "Theirs", their_field: { kept: true }, revision: 3 });
    expect(revision).toBe(3);
    const recorded = (await eventsOf(store, "a")).at(-1);
    expect(recorded).toMatchObject({ actor: "external", event: { type: "external.edited" } });
    expect(readJson(loopFile(root, "a.json"))).toEqual(state);
    expect(beside(root)).toEqual([]);
    expect((await store.read("a")).revision).toBe(3);
    await store.close();
  });

  test("makes an append that did not see it a conflict", async () => {
    const { store, edit } = await begin();
    edit((document) => {
      document.notes = "theirs";
    });
    expect(await codeOf(store.append("a", 2, [noted("ours")], BY))).toBe("revision_conflict");
    expect((await store.read("a")).state.notes).toBe("theirs");
    await store.close();
  });

  test("is merged with what happened since it was read", async () => {
    const { store, edit, path } = await begin();
    const old = readFileSync(path, "utf8");
    await store.append("a", 2, [taskAdded("task-3"), noted("ours")], BY);
    writeFileSync(path, old);
    edit((document) => {
      document.title = "Theirs";
      document.status = "paused";
    });
    const { state } = await store.read("a");
    expect(state).toMatchObject({ title: "Theirs", notes: "ours", status: "paused", revision: 4 });
    expect(tasksOf(state).map((task) => task.id)).toEqual(["task-1", "task-2", "task-3"]);
    await store.close();
  });

  test("loses where both changed the same, and is kept aside whole", async () => {
    const { root, store, edit, path, warnings } = await begin();
    const old = readFileSync(path, "utf8");
    await store.append("a", 2, [noted("ours")], BY);
    writeFileSync(path, old);
    edit((document) => {
      document.notes = "theirs";
    });
    const { state } = await store.read("a");
    expect(state.notes).toBe("ours");
    expect(await lastEvent(store)).toMatchObject({
      type: "external.edited",
      kept_aside: ["notes"],
      kept_in: "a.json.conflict-3",
    });
    expect(beside(root)).toEqual(["a.json.conflict-3"]);
    expect(readJson(loopFile(root, "a.json.conflict-3")).notes).toBe("theirs");
    expect(warnings.join()).toContain("a.json.conflict-3");
    await store.close();
  });

  test("may be saved twice by an editor that does not read again", async () => {
    const { root, store, path } = await begin();
    const opened = readJson(path);
    const save = async (change: object) => {
      writeFileSync(path, JSON.stringify({ ...opened, ...change }));
      return (await store.read("a")).state;
    };
    expect(await save({ notes: "one", status: "paused" })).toMatchObject({ status: "paused" });
    const { revision } = await store.append("a", 3, [{ type: "loop.resumed", at: AT }], BY);
    await store.append("a", revision, [taskAdded("task-3")], BY);
    const state = await save({ notes: "two", status: "paused", title: "Theirs" });
    expect(state).toMatchObject({ notes: "two", title: "Theirs", status: "running" });
    expect(tasksOf(state)).toHaveLength(3);
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("may stop a loop; it ends as if an operator had stopped it", async () => {
    const { store, edit } = await begin();
    edit((document) => {
      document.status = "failed";
      document.failure_reason = "Enough";
      document.completed_at = AT;
    });
    const { state } = await store.read("a");
    expect(state).toMatchObject({
      status: "failed",
      failure_reason: "Enough",
      outcome: { code: "stopped_by_user" },
    });
    await store.close();
  });

  test("cannot complete a loop, nor forge its proof", async () => {
    const { root, store, edit } = await begin();
    edit((document) => {
      document.status = "completed";
      document.receipts = [];
      document.usage = { turns: 0 };
      Object(document.skill_state).validate.passed = true;
      Object(document.skill_state).validate.stale = false;
    });
    const { state } = await store.read("a");
    expect(state).toMatchObject({ status: "running", skill_state: { validate: { stale: true } } });
    expect(state.receipts).toBeUndefined();
    expect(await lastEvent(store)).toMatchObject({
      kept_aside: expect.arrayContaining(["status", "receipts"]),
    });
    expect(beside(root)).toEqual(["a.json.conflict-2"]);
    await store.close();
  });

  test("that changes nothing but its layout is no event", async () => {
    const { store, path } = await begin();
    writeFileSync(path, JSON.stringify(readJson(path)));
    expect((await store.read("a")).revision).toBe(2);
    const reordered = Object.fromEntries(Object.entries(readJson(path)).reverse());
    writeFileSync(path, JSON.stringify(reordered));
    expect((await store.read("a")).revision).toBe(2);
    await store.close();
  });

  test.each([
    ["no JSON", "{ half of it"],
    ["no object", "[1]"],
    ["nothing", ""],
    ["a wrong schema", JSON.stringify({ loop_id: "a", title: 7, status: "asleep" })],
    ["a wrong time", JSON.stringify({ ...newLoop("a"), updated_at: "yesterday" })],
  ])("with %s is kept aside, and the last good state is back", async (_, text) => {
    const { root, store, path, warnings } = await begin();
    const before = await store.read("a");
    writeFileSync(path, text);
    expect(await store.read("a")).toEqual(before);
    expect(readFileSync(loopFile(root, "a.json.rejected-2"), "utf8")).toBe(text);
    expect(readJson(path)).toEqual(before.state);
    expect(warnings).toHaveLength(1);
    await store.close();
  });

  test("with bytes that are no text is kept aside byte by byte", async () => {
    const { root, store, path } = await begin();
    const bytes = Buffer.concat([
      Buffer.from('{"title":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    writeFileSync(path, bytes);
    await store.read("a");
    expect(readFileSync(loopFile(root, "a.json.rejected-2")).equals(bytes)).toBe(true);
    await store.close();
  });

  test("that is written slowly, in place, is waited for", async () => {
    const { root, store, path } = await begin();
    const text = JSON.stringify({ ...readJson(path), title: "Slowly" });
    writeFileSync(path, text.slice(0, 100));
    const reading = store.read("a");
    appendFileSync(path, text.slice(100));
    expect((await reading).state.title).toBe("Slowly");
    expect(beside(root)).toEqual([]);
    await store.close();
  });

  test("that names another loop stays what its file is called", async () => {
    const { root, store, edit } = await begin();
    edit((document) => {
      document.loop_id = "../../../escaped";
      document.title = "Theirs";
    });
    expect((await store.read("a")).state).toMatchObject({ loop_id: "a", title: "Theirs" });
    expect(readdirSync(root)).toEqual([".workflow"]);
    await store.close();
  });

  test("in the moment of our own publication is taken in too", async () => {
    const { root, path } = await begin();
    let theirs: string | null = null;
    const disk = faultyDisk((call) => {
      if (call.name !== "replace" || theirs === null) return;
      writeFileSync(path, theirs);
      theirs = null;
    });
    const store = testStore(root, { disk });
    const { revision } = await store.read("a");
    theirs = JSON.stringify({ ...readJson(path), title: "Theirs" });
    await store.append("a", revision, [noted("ours")], BY);
    expect((await store.read("a")).state).toMatchObject({ title: "Theirs", notes: "ours" });
    expect(readJson(path)).toMatchObject({ title: "Theirs", notes: "ours" });
    await store.close();
  });

  test("may be taken in by several stores at once, and is one event", async () => {
    const { root, store, edit } = await begin();
    const others = Array.from({ length: 4 }, () => fsStore({ root }));
    await Promise.all(others.map((other) => other.read("a")));
    edit((document) => {
      document.title = "Theirs";
    });
    const seen = await Promise.all([store, ...others].map((one) => one.read("a")));
    expect(new Set(seen.map((one) => one.state.title))).toEqual(new Set(["Theirs"]));
    const edits = (await eventsOf(store, "a")).filter(
      (one) => one.event.type === "external.edited",
    );
    expect(edits).toHaveLength(1);
    await Promise.all([store, ...others].map((one) => one.close()));
  });

  test("that was removed is written again", async () => {
    const { store, path } = await begin();
    const before = await store.read("a");
    rmSync(path);
    expect(await store.read("a")).toEqual(before);
    expect(readJson(path)).toEqual(before.state);
    await store.close();
  });
});

describe("editors beside us", () => {
  test("50 edits while we commit all the time: each is imported or kept aside", async () => {
    const { root, store, path } = await begin();
    let ended = false;
    const ours = (async () => {
      for (let n = 0; !ended; n++) {
        const { revision } = await store.read("a");
        await codeOf(store.append("a", revision, [taskAdded(`ours-${n}`)], BY));
      }
    })();
    for (let n = 0; n < 50; n++) {
      const document = { ...readJson(path), notes: `theirs ${n}` };
      writeFileSync(`${path}.mine`, JSON.stringify(document));
      renameSync(`${path}.mine`, path);
      await vi.waitFor(
        async () => {
          const told = JSON.stringify(await eventsOf(store, "a"));
          const aside = beside(root).map((name) => readFileSync(loopFile(root, name), "utf8"));
          expect(`${told}${aside.join()}`).toContain(`theirs ${n}"`);
        },
        { timeout: 10_000, interval: 2 },
      );
    }
    ended = true;
    await ours;
    expect((await store.read("a")).state.notes).toBe("theirs 49");
    await store.close();
  }, 60_000);
});
