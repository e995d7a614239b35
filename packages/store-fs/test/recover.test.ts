import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tasksOf } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { BY, codeOf, loopFile, noted } from "./loops.ts";

import { begin, LATER, recoverAfterAsking, remove, same, withStore } from "./recovering.ts";

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

  test("without any history it is the journal folded, and paused", async () => {
    const { root, before } = await begin();
    remove(root, "a.history", "a.json");
    expect(await withStore(root, (store) => codeOf(store.read("a")))).toBe("loop_not_found");
    const { source, state, events } = await recoverAfterAsking(root);
    expect(source).toBe("journal");
    expect(same(state)).toEqual({ ...same(before), status: "paused" });
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

  test("a history that was deleted under a whole state file: the loop comes back paused", async () => {
    const { root, before } = await begin();
    remove(root, "a.history");
    await withStore(root, async (store) => {
      const { state, revision } = await store.read("a");
      expect(same(state)).toEqual({ ...same(before), status: "paused" });
      expect(revision).toBe(5);
      await store.append("a", 5, [noted("on")], BY);
      const { epoch } = await store.claim("a", "me", 1000);
      await store.append("a", 6, [noted("on")], { ...BY, epoch });
    });
  });
});

test.each(["a.journal.jsonl", "a.tasks.jsonl", "a.progress"])(
  "a loop of which only %s is left is listed with the way to save it, until it is saved or removed",
  async (left) => {
    const { root } = await begin();
    const parts = ["a.history", "a.json", "a.journal.jsonl", "a.tasks.jsonl", "a.progress"];
    const other = fsStore({ root });
    expect((await other.list()).total).toBe(1);
    remove(root, ...parts.filter((name) => name !== left));
    await withStore(root, async (store) => {
      for (const one of [other, store]) {
        const { loops, damaged } = await one.list();
        expect(loops).toEqual([]);
        expect(damaged).toEqual([{ id: "a", reason: expect.stringContaining(`left: ${left}`) }]);
        expect(damaged[0]?.reason).toContain("ccw-loop recover a");
      }
      await expect(store.read("a")).rejects.toMatchObject({
        code: "loop_not_found",
        message: expect.stringContaining("ccw-loop recover a"),
      });
      await store.recover("a", { dryRun: false, at: LATER });
      for (const one of [other, store]) {
        expect(await one.list()).toMatchObject({ total: 1, damaged: [] });
      }
      await store.remove("a");
      for (const one of [other, store]) {
        expect(await one.list()).toEqual({ loops: [], total: 0, damaged: [] });
      }
    });
    await other.close();
  },
);

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
