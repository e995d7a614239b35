import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Disk } from "../src/fs/disk.ts";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { fsStore } from "../src/index.ts";
import { faultyDisk, osError, testStore } from "./faults.ts";
import { BY, loopFile, newLoop, noted, started } from "./loops.ts";
import { manyLoops, timeOf } from "./many-loops.ts";
import { makeProject } from "./project.ts";

const MANY = 1000;
test("a folder of ours that another user made does not keep a list from being shown", async () => {
  const root = makeProject();
  const disk = nodeDisk("process");
  const info = (path: string) => {
    if (path.includes("/.processes/")) throw osError("EACCES", path);
    return disk.info(path);
  };
  const store = testStore(root, { disk: { ...disk, info } });
  await store.create(newLoop("a"), BY);
  mkdirSync(loopFile(root, ".processes"));
  const { loops } = await store.list();
  expect(loops.map(({ state }) => state.loop_id)).toEqual(["a"]);
  await store.close();
});

/** A disk that counts how often files are read. */
function countingDisk(): { disk: Disk; reads: string[] } {
  const disk = nodeDisk("process");
  const reads: string[] = [];
  const read = (path: string) => {
    reads.push(path);
    return disk.read(path);
  };
  return { disk: { ...disk, read }, reads };
}

test(`a warm list of ${MANY} loops reads no file, and after a change only that one`, async () => {
  const root = manyLoops(MANY);
  const { disk, reads } = countingDisk();
  const store = testStore(root, { disk });
  const other = fsStore({ root });
  const first = await store.list({ limit: 50 });
  expect(first.total).toBe(MANY);
  expect(first.loops[0]?.state.loop_id).toBe(`loop-00${MANY - 1}`);
  expect(reads.filter((path) => !path.endsWith("/.list.json"))).toHaveLength(MANY);

  reads.length = 0;
  expect(await store.list({ limit: 50 })).toEqual(first);
  const { loops } = await store.list({ text: "LOOP-00007" });
  expect(loops.map((loop) => loop.state.loop_id)).toEqual(["loop-00007"]);
  expect(reads.filter((path) => !path.includes("loop-00007"))).toEqual([]);

  reads.length = 0;
  await other.create(newLoop("new", { updated_at: timeOf(MANY) }), BY);
  expect((await store.list({ limit: 1 })).loops[0]?.state.loop_id).toBe("new");
  expect(new Set(reads)).toEqual(new Set([loopFile(root, "new.json")]));
  await Promise.all([store.close(), other.close()]);
}, 60_000);

test("what others did is in the list that is asked for next", async () => {
  const root = makeProject();
  const [store, other] = [fsStore({ root }), fsStore({ root })];
  await store.create(newLoop("a"), BY);
  await store.create(newLoop("b"), BY);
  await store.list();
  const ids = async () => (await store.list()).loops.map((loop) => loop.state.loop_id).sort();

  await other.create(newLoop("c"), BY);
  expect(await ids()).toEqual(["a", "b", "c"]);
  await other.remove("b");
  expect(await ids()).toEqual(["a", "c"]);
  await other.append("a", 1, [noted("x")], BY);
  expect((await store.list()).loops.find((loop) => loop.state.notes === "x")?.revision).toBe(2);
  const theirs = { ...newLoop("a", { title: "Theirs" }), revision: 2 };
  writeFileSync(loopFile(root, "a.json"), JSON.stringify(theirs));
  expect(await store.list({ text: "theirs" })).toMatchObject({ total: 1 });
  writeFileSync(loopFile(root, "d.json"), JSON.stringify(newLoop("d")));
  writeFileSync(loopFile(root, "e.json"), "{");
  expect(await ids()).toEqual(["a", "c", "d"]);
  expect((await store.list()).damaged.map(({ id }) => id)).toEqual(["e"]);
  writeFileSync(loopFile(root, "e.json"), JSON.stringify(newLoop("e")));
  expect(await ids()).toEqual(["a", "c", "d", "e"]);
  await Promise.all([store.close(), other.close()]);
});

test("a commit that nobody published is in the list", async () => {
  const root = makeProject();
  const first = fsStore({ root });
  await first.create(newLoop("a"), BY);
  await first.close();
  const disk = faultyDisk((call) => {
    if (call.name === "replace") throw osError("ENOSPC");
  });
  const failing = testStore(root, { disk });
  await failing.append("a", 1, [started], BY);
  const store = fsStore({ root });
  const page = await store.list({ status: "running" });
  expect(page).toMatchObject({ total: 1, loops: [{ revision: 2, state: { status: "running" } }] });
  await Promise.all([failing.close(), store.close()]);
});

test("a folder that is replaced as a whole is read anew", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  expect((await store.list()).total).toBe(1);
  const folder = loopFile(root, "").replace(/\/$/, "");
  renameSync(folder, `${folder}.old`);
  expect((await store.list()).total).toBe(0);
  const other = fsStore({ root });
  await other.create(newLoop("b"), BY);
  await other.create(newLoop("c"), BY);
  expect((await store.list()).total).toBe(2);
  rmSync(`${folder}.old`, { recursive: true });
  await Promise.all([store.close(), other.close()]);
});

test("equal times do not make pages overlap", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  for (const id of ["e", "a", "d", "b", "c"]) await store.create(newLoop(id), BY);
  const pages = [];
  for (let offset = 0; offset < 5; offset += 2) {
    const { loops } = await store.list({ offset, limit: 2 });
    pages.push(...loops.map((loop) => loop.state.loop_id));
  }
  expect(pages).toEqual(["a", "b", "c", "d", "e"]);
  await store.close();
});
