import { hash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopStore, MAX_JSON_DEPTH, SCHEMA_VERSION } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { fsStore } from "../src/index.ts";
import { type Call, faultyDisk, osError, testStore } from "./faults.ts";
import {
  AT,
  BY,
  codeOf,
  eventsOf,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
} from "./loops.ts";
import { makeProject } from "./project.ts";

const historyNames = (root: string) =>
  readdirSync(loopFile(root, "a.history")).filter((name) => /^\d/.test(name));

test("a loop lies on the disk as the design says", async () => {
  const root = makeProject();
  const store = testStore(root, { runtime: { wall: () => Date.parse(AT) } });
  await store.create(newLoop("a"), { actor: "cli", opId: "op-1" });
  const { epoch } = await store.claim("a", "me", 60_000);
  const { state } = await store.append("a", 1, [started, initialized("task-1")], {
    actor: "orchestrator",
    epoch,
  });
  await store.close();

  const first = readFileSync(loopFile(root, "a.history/0000000001.json"), "utf8");
  expect(JSON.parse(first)).toMatchObject({
    revision: 1,
    parent: null,
    op_id: "op-1",
    epoch: null,
  });
  expect(readJson(loopFile(root, "a.history/0000000002.json"))).toEqual({
    revision: 2,
    parent: hash("sha256", first).slice(0, 32),
    op_id: expect.any(String),
    epoch,
    at: AT,
    actor: "orchestrator",
    events: [started, initialized("task-1")],
    state,
    sum: expect.any(String),
  });
  expect(readFileSync(loopFile(root, "a.json"), "utf8")).toBe(
    `${JSON.stringify(state, null, 2)}\n`,
  );
  const { etag, ...rest } = state;
  expect(rest).toMatchObject({ loop_id: "a", revision: 2, schema_version: SCHEMA_VERSION });
  expect(etag).toBe(hash("sha256", JSON.stringify(rest)).slice(0, 32));
  const lines = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).revision)).toEqual([1, 2, 2]);
  expect(readJson(loopFile(root, "a.tasks.jsonl"))).toMatchObject({ task_id: "task-1" });
  expect(readdirSync(loopFile(root, "a.progress"))).toContain("develop.md");
  expect(readFileSync(loopFile(root, ".gitignore"), "utf8")).toBe("*\n");
});

test("what is nested too deep to be read again is refused, and nothing is written", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  await store.create(newLoop("a", { theirs: nested(MAX_JSON_DEPTH - 4) }), BY);
  const tooDeep = newLoop("b", { theirs: nested(MAX_JSON_DEPTH) });
  expect(await codeOf(store.create(tooDeep, BY))).toBe("invalid_input");
  await store.close();
  const next = fsStore({ root });
  expect((await next.read("a")).revision).toBe(1);
  expect((await next.list()).total).toBe(1);
  await next.close();
});

test("the newest 64 revisions stay whole, and the journal tells of all", async () => {
  const root = makeProject();
  const store = fsStore({ root, durability: "process" });
  await store.create(newLoop("a"), BY);
  for (let revision = 1; revision < 300; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], { ...BY, opId: `op-${revision}` });
  }
  const first = await store.append("a", 300, [noted("again")], { ...BY, opId: "op-7" });
  expect(first).toMatchObject({ revision: 8, state: { revision: 8, notes: "n7" } });
  await store.close();

  const names = historyNames(root);
  expect(names.length).toBeGreaterThanOrEqual(64);
  expect(names.length).toBeLessThanOrEqual(64 + 64);
  expect(names.at(-1)).toBe("0000000300.json");
  const others = readdirSync(loopFile(root, "a.history")).filter((name) => !/^\d/.test(name));
  expect(others).toEqual(["epoch-0000000000"]);

  const hours = (count: number) => ({ wall: () => Date.parse(AT) + count * 3_600_000 });
  const later = testStore(root, { runtime: hours(23) });
  const again = await later.append("a", 300, [noted("again")], { ...BY, opId: "op-9" });
  expect(again).toMatchObject({ revision: 10, state: { revision: 10, notes: "n9" } });
  const nextDay = testStore(root, { runtime: hours(25) });
  expect(await nextDay.operation("a", "op-9")).toBeNull();
  await nextDay.close();
  const events = await eventsOf(later, "a");
  expect(events.map((one) => one.revision)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  await later.close();
}, 60_000);

test("a snapshot that an older version kept is no revision", async () => {
  const root = makeProject();
  const store = fsStore({ root, durability: "process" });
  const { revision } = await store.create(newLoop("a"), BY);
  const first = loopFile(root, "a.history/0000000001.json");
  copyFileSync(first, loopFile(root, "a.history/snapshot-0000000256.json"));
  await store.append("a", revision, [noted("next")], BY);
  await store.close();
  const later = testStore(root);
  expect(await later.read("a")).toMatchObject({ revision: 2, state: { notes: "next" } });
  await later.close();
});

test("a writer that slept until its number was let go of does not get it", async () => {
  const root = makeProject();
  const others = fsStore({ root, durability: "process" });
  await others.create(newLoop("a"), BY);
  let wake = () => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let fallAsleep = () => {};
  const asleep = new Promise<void>((resolve) => {
    fallAsleep = resolve;
  });
  const disk = faultyDisk(() => {});
  const sleeper = testStore(root, {
    disk: {
      ...disk,
      writeDurably: async (path, text) => {
        fallAsleep();
        await woken;
        await disk.writeDurably(path, text);
      },
    },
  });
  const late = codeOf(sleeper.append("a", 1, [noted("late")], BY));
  await asleep;
  for (let revision = 1; revision < 200; revision++) {
    await others.append("a", revision, [noted(`n${revision}`)], BY);
  }
  await others.close();
  expect(historyNames(root)).not.toContain("0000000002.json");
  wake();
  expect(await late).toBe("revision_conflict");
  expect(historyNames(root)).not.toContain("0000000002.json");
  expect((await sleeper.read("a")).state.notes).toBe("n199");
  await sleeper.close();
}, 60_000);

test.each(["write", "writeDurably", "link", "syncFolder"] as const)(
  "a disk that is full at %s refuses the commit, and takes it later",
  async (name) => {
    const root = makeProject();
    let full = false;
    const disk = faultyDisk((call) => {
      if (full && call.name === name) throw osError("ENOSPC");
    });
    const store = testStore(root, { disk });
    await store.create(newLoop("a"), BY);
    full = true;
    const outcome = await codeOf(store.append("a", 1, [noted("x")], { ...BY, opId: "op" }));
    expect(outcome).toBe(name === "write" ? "none" : "store_unavailable");
    full = false;
    const { revision } = await store.append("a", 1, [noted("x")], { ...BY, opId: "op" });
    expect(revision).toBe(2);
    expect((await store.read("a")).state.notes).toBe("x");
    await store.close();
    expect(readJson(loopFile(root, "a.json"))).toMatchObject({ revision: 2, notes: "x" });
  },
);

test("a commit is on the disk before it has its name, and its name is before it is acknowledged", async () => {
  const root = makeProject();
  const calls: string[] = [];
  const disk = faultyDisk(({ name }) => calls.push(name), "power");
  const syncs = {
    writeDurably: async (path: string, text: string) => {
      await disk.writeDurably(path, text);
      calls.push("written");
    },
    syncFolder: async (path: string) => {
      await disk.syncFolder(path);
      calls.push("synced");
    },
  };
  const store = testStore(root, { disk: { ...disk, ...syncs } });
  await store.create(newLoop("a"), BY);
  calls.length = 0;
  await store.append("a", 1, [started], BY);
  const order = ["writeDurably", "written", "link", "syncFolder", "synced", "replace"];
  expect(calls.filter((name) => order.includes(name))).toEqual(order);
  await store.close();
});

test("the journal is on the disk before a revision is let go of", async () => {
  const root = makeProject();
  const calls: Call[] = [];
  const store = testStore(root, { disk: faultyDisk((call) => calls.push(call)) });
  await store.create(newLoop("a"), BY);
  for (let revision = 1; revision < 200; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
  }
  await store.close();
  const letGo = calls.findIndex((call) => call.name === "rename" && call.from?.includes("/00000"));
  const synced = calls.findIndex(
    ({ name, path }) => name === "syncFile" && path === loopFile(root, "a.journal.jsonl"),
  );
  const named = calls.findIndex(
    ({ name, path }, n) => n > synced && name === "syncFolder" && path === loopFile(root, ""),
  );
  expect(synced).toBeGreaterThan(0);
  expect(named).toBeGreaterThan(synced);
  expect(letGo).toBeGreaterThan(named);
  expect(calls.slice(0, synced).findLast((call) => call.name === "writeAt")).toBeTruthy();
});

test("a repeated request is answered when its commit is on the disk, whoever made it", async () => {
  const root = makeProject();
  const store = testStore(root);
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [noted("once")], { ...BY, opId: "op" });
  await store.close();
  const calls: Call[] = [];
  const later = testStore(root, { disk: faultyDisk((call) => calls.push(call)) });
  await later.read("a");
  calls.length = 0;
  const again = await later.append("a", 2, [noted("once")], { ...BY, opId: "op" });
  expect(again.revision).toBe(2);
  expect(calls.map(({ name, path }) => [name, path])).toEqual([
    ["syncFolder", loopFile(root, "a.history")],
  ]);
  await later.close();
});

test("a commit that another process made is on the disk before it is published", async () => {
  const root = makeProject();
  const first = testStore(root);
  await first.create(newLoop("a"), BY);
  await first.close();
  const cannotPublish = faultyDisk((call) => {
    if (call.name === "replace") throw osError("ENOSPC");
  });
  const writer = testStore(root, { disk: cannotPublish });
  await writer.append("a", 1, [started], BY);
  const calls: Call[] = [];
  const reader = testStore(root, { disk: faultyDisk((call) => calls.push(call)) });
  const published = async () => {
    await reader.read("a");
    return calls.findIndex(({ name }) => name === "replace");
  };
  await expect.poll(published, { timeout: 10_000, interval: 20 }).toBeGreaterThan(0);
  const synced = calls.findIndex(
    ({ name, path }) => name === "syncFolder" && path === loopFile(root, "a.history"),
  );
  expect(synced).toBeGreaterThanOrEqual(0);
  expect(calls.findIndex(({ name }) => name === "replace")).toBeGreaterThan(synced);
  await Promise.all([writer.close(), reader.close()]);
});

test("a store that cannot delete its spare files closes nevertheless, and a later one deletes them", async () => {
  const root = makeProject();
  let broken = false;
  const disk = faultyDisk((call) => {
    if (broken && call.name === "remove") throw osError("EIO");
  });
  const store = testStore(root, { disk });
  await store.create(newLoop("a"), BY);
  const first = join(loopFile(root, "a.history"), "0000000001.json");
  let revision = 1;
  for (; existsSync(first); revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
  }
  broken = true;
  await store.close();
  const spares = () =>
    readdirSync(loopFile(root, "a.history")).filter((name) => name.startsWith(".tmp-"));
  expect(spares().length).toBeGreaterThan(0);
  const later = testStore(root, { runtime: { wall: () => Date.now() + 120_000 } });
  for (const last = revision + 40; revision < last; revision++) {
    await later.append("a", revision, [noted(`n${revision}`)], BY);
  }
  await later.close();
  expect(spares()).toEqual([]);
});

test("a file system without hard links is refused with what to do, and keeps nothing", async () => {
  const root = makeProject();
  const disk = faultyDisk(({ name }) => {
    if (name === "link") throw osError("EPERM");
  });
  await expect(testStore(root, { disk }).create(newLoop("a"), BY)).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringMatching(/has no hard links\. Keep the project on one that has\.$/),
  });
  expect(await codeOf(testStore(root).read("a"))).toBe("loop_not_found");
});

test("a link that a network repeated is not taken for a lost race", async () => {
  const root = makeProject();
  const disk = faultyDisk(() => {});
  const store = testStore(root, {
    disk: {
      ...disk,
      link: (from, to) => {
        disk.link(from, to);
        throw osError("EEXIST");
      },
    },
  });
  expect((await store.create(newLoop("a"), BY)).revision).toBe(1);
  expect((await store.append("a", 1, [started], BY)).revision).toBe(2);
  await store.close();
});

test("who goes on behind the first commit of another makes the loop's own name safe, too", async () => {
  const root = makeProject();
  const first = testStore(root);
  await first.create(newLoop("a"), { ...BY, opId: "op" });
  const syncs = async (work: (store: LoopStore) => Promise<unknown>) => {
    const calls: Call[] = [];
    const store = testStore(root, { disk: faultyDisk((call) => calls.push(call)) });
    await work(store);
    await store.close();
    return calls.filter(({ name }) => name === "syncFolder").map(({ path }) => path);
  };
  const loops = loopFile(root, "").replace(/\/$/, "");
  expect(await syncs((store) => store.operation("a", "op"))).toContain(loops);
  expect(await syncs((store) => store.append("a", 1, [started], BY))).toContain(loops);
  expect(await syncs((store) => store.append("a", 2, [noted("n")], BY))).not.toContain(loops);
  await first.close();
});
