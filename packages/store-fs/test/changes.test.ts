import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type LoopState, SCHEMA_VERSION } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { digestOf } from "../src/commit/etag.ts";
import type { Disk } from "../src/fs/disk.ts";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { testStore } from "./faults.ts";
import {
  AT,
  BY,
  codeOf,
  developed,
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

const ids = Array.from({ length: 300 }, (_, n) => `task-${n}`);
const commitFile = (root: string, revision: number) =>
  loopFile(root, `a.history/${String(revision).padStart(10, "0")}.json`);

/** A loop of 300 tasks at revision 2, which is whole. */
async function largeLoop(root: string) {
  const store = testStore(root);
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [started, initialized(...ids)], BY);
  return store;
}

test("commits of a large loop tell what they changed, and every revision is what it was", async () => {
  const root = makeProject();
  const store = await largeLoop(root);
  const states: LoopState[] = [(await store.read("a")).state];
  for (const [n, id] of ids.slice(0, 20).entries()) {
    const { state } = await store.append("a", n + 2, [developed(id, "Done.", "a.ts")], {
      ...BY,
      opId: id,
    });
    states.push(state);
  }
  await store.close();

  const whole = statSync(commitFile(root, 2)).size;
  for (let revision = 3; revision <= 22; revision++) {
    expect(readJson(commitFile(root, revision))).toMatchObject({
      revision,
      base: 2,
      change: { etag: states[revision - 2]?.etag },
    });
    expect(statSync(commitFile(root, revision)).size).toBeLessThan(whole / 20);
  }
  const later = testStore(root);
  expect((await later.read("a")).state).toEqual(states.at(-1));
  expect(readJson(loopFile(root, "a.json"))).toEqual(states.at(-1));
  for (const [n, id] of ids.slice(0, 20).entries()) {
    const { state } = await later.append("a", 22, [noted("again")], { ...BY, opId: id });
    expect(JSON.stringify(state)).toBe(JSON.stringify(states[n + 1]));
  }
  await later.close();
});

test("a store reads on what another one changed, and goes on from there", async () => {
  const root = makeProject();
  const [one, other] = [await largeLoop(root), testStore(root)];
  for (let revision = 2; revision < 20; revision++) {
    const [writer, reader] = revision % 3 === 0 ? [other, one] : [one, other];
    const { state } = await writer.append("a", revision, [noted(`n${revision}`)], BY);
    expect((await reader.read("a")).state).toEqual(state);
  }
  await Promise.all([one.close(), other.close()]);
  expect(readJson(commitFile(root, 20)).base).toBe(2);
});

test("the history of a large loop stays small: a whole commit comes when what changed is as large, or after 256", async () => {
  const root = makeProject();
  const store = await largeLoop(root);
  for (let revision = 2; revision < 700; revision++) {
    const text = revision > 400 ? "x".repeat(2000) : "";
    await store.append("a", revision, [noted(`${revision}${text}`)], BY);
  }
  await store.close();
  const names = readdirSync(loopFile(root, "a.history")).filter((name) => /^\d/.test(name));
  expect(names.length).toBeLessThanOrEqual(64 + 256 + 64);
  const isWhole = (name: string) => "state" in readJson(loopFile(root, `a.history/${name}`));
  expect(names.filter(isWhole).length).toBeGreaterThan(1);
  expect(isWhole(names[0] ?? "")).toBe(true);
  const later = testStore(root);
  expect((await later.read("a")).state.notes).toMatch(/^699x/);
  expect(await eventsOf(later, "a")).toHaveLength(701);
  await later.close();
});

test("of large states whose commits are large fewer revisions stay, and no event is lost", {
  tags: ["slow"],
  timeout: 60_000,
}, async () => {
  const root = makeProject();
  const store = testStore(root);
  const large = "x".repeat(4 * 1024 * 1024);
  await store.create(newLoop("a", { description: large, notes: "" }), BY);
  for (let revision = 1; revision < 24; revision++) {
    await store.append("a", revision, [noted(`${revision}${large}`)], BY);
  }
  await store.close();
  const names = readdirSync(loopFile(root, "a.history")).filter((name) => /^\d/.test(name));
  expect(names.length).toBeLessThanOrEqual(14);
  expect(names.length).toBeGreaterThanOrEqual(8);
  const later = testStore(root);
  const revisions = (await eventsOf(later, "a")).map((one) => one.revision);
  expect(revisions).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
  await later.close();
});

/** Changes what a file says, and its sum with it. */
function forge(path: string, from: string, to: string): void {
  const [whole = ""] = readFileSync(path, "utf8").replace(from, to).split(',"sum":"');
  writeFileSync(path, `${whole},"sum":"${digestOf(whole)}"}\n`);
}

test.each([
  ["the state of the whole one", 2, "Do task-7", "Do task-8"],
  ["what one in the middle changed", 4, '{"to":"n3"}', '{"to":"n9"}'],
  ["what the newest changed", 6, '{"to":"n5"}', '{"to":"n9"}'],
  ["which one it rests on", 6, '"base":2', '"base":3'],
])(
  "a chain in which somebody changed %s is damage, and is recovered",
  async (_, revision, from, to) => {
    const root = makeProject();
    const store = await largeLoop(root);
    for (let n = 2; n < 6; n++) await store.append("a", n, [noted(`n${n}`)], BY);
    const { state } = await store.read("a");
    await store.close();
    forge(commitFile(root, revision), from, to);
    const later = testStore(root);
    expect(await codeOf(later.read("a"))).toBe("store_corrupt");
    await later.recover("a", { dryRun: false, at: AT });
    const { revision: __, etag: ___, updated_at: ____, ...rest } = state;
    expect((await later.read("a")).state).toMatchObject(rest);
    await later.close();
  },
);

test("without the journal, and with a commit in the middle gone, the published document tells the newest state", async () => {
  const root = makeProject();
  const store = await largeLoop(root);
  for (let n = 2; n < 6; n++) await store.append("a", n, [noted(`n${n}`)], BY);
  const { state } = await store.read("a");
  await store.close();
  rmSync(loopFile(root, "a.journal.jsonl"));
  rmSync(commitFile(root, 4));
  const later = testStore(root);
  await later.recover("a", { dryRun: false, at: AT });
  expect((await later.read("a")).state).toMatchObject({ status: "running", notes: state.notes });
  await later.close();
});

test("a large document is published once a second, and all of it when the store closes", async () => {
  const root = makeProject();
  const store = await largeLoop(root);
  const document = () => readJson(loopFile(root, "a.json"));
  await vi.waitFor(() => expect(document().revision).toBe(2), { timeout: 5000 });
  const times = new Set<number>();
  const begin = performance.now();
  let revision = 2;
  for (; performance.now() - begin < 1500; revision++) {
    await store.append("a", revision, [noted(`n${revision}`)], BY);
    expect((await store.read("a")).revision).toBe(revision + 1);
    times.add(document().revision);
  }
  expect(times.size).toBeLessThanOrEqual(4);
  await vi.waitFor(() => expect(document().revision).toBe(revision), { timeout: 5000 });
  await store.append("a", revision, [taskAdded("task-new")], BY);
  await store.close();
  expect(document().revision).toBe(revision + 1);
  expect(readFileSync(loopFile(root, "a.tasks.jsonl"), "utf8")).toContain("task-new");
});

test("an edit of a document that is some commits behind is merged with what happened since", async () => {
  const root = makeProject();
  const store = await largeLoop(root);
  for (let n = 2; n < 9; n++) await store.append("a", n, [noted(`n${n}`)], BY);
  const path = loopFile(root, "a.json");
  const told = readJson(path);
  expect(told.revision).toBeLessThan(9);
  writeFileSync(path, JSON.stringify({ ...told, title: "Theirs" }));
  const { state } = await store.read("a");
  expect(state).toMatchObject({ title: "Theirs", notes: "n8" });
  await store.close();
});

test.each([2, 3])(
  "a loop that a newer version wrote (revision %i) is refused, also by a recovery, and nothing is changed",
  async (revision) => {
    const root = makeProject();
    const store = await largeLoop(root);
    await store.append("a", 2, [noted("n")], BY);
    await store.close();
    forge(commitFile(root, revision), `"schema_version":${SCHEMA_VERSION}`, '"schema_version":99');
    const before = filesBelow(loopFile(root, ""));
    const older = testStore(root);
    for (const work of [older.read("a"), older.recover("a", { dryRun: false, at: AT })]) {
      await expect(work).rejects.toMatchObject({
        code: "store_unavailable",
        message: expect.stringMatching(
          /^Loop a was written by a newer version of ccw-loop \(schema 99; .*Go on with that version\.$/,
        ),
      });
    }
    await older.close();
    expect(filesBelow(loopFile(root, ""))).toEqual(before);
  },
);

/** Writes as many other bytes into the state file; afterwards its time is what it was. */
function writeInPlace(path: string): void {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replace("Title of a", "Titel of a"));
  utimesSync(path, atime, mtime);
}

test("a document that another program writes in place in the moment in which it was published is read again", async () => {
  const root = makeProject();
  const real = nodeDisk("process");
  const wall = Date.parse(AT);
  const times = { modified: wall - 50, changed: wall - 50 };
  // Two changes in one moment have the same times.
  const disk: Disk = {
    ...real,
    info(path) {
      const info = real.info(path);
      return info && { ...info, instance: info.instance.replace(/-.*/, ""), ...times };
    },
  };
  const store = testStore(root, { disk, runtime: { wall: () => wall } });
  await store.create(newLoop("a"), BY);
  await store.read("a");
  writeInPlace(loopFile(root, "a.json"));
  expect((await store.read("a")).state.title).toBe("Titel of a");
  await store.close();
});

test("a document that another program writes in place, and its times set back, is read again", async () => {
  const root = makeProject();
  const store = testStore(root, { runtime: { wall: () => Date.now() + 60_000 } });
  await store.create(newLoop("a"), BY);
  const path = loopFile(root, "a.json");
  utimesSync(path, new Date(AT), new Date(AT));
  await store.read("a");
  writeInPlace(path);
  expect((await store.read("a")).state.title).toBe("Titel of a");
  await store.close();
});
