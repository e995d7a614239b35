import { readdirSync, writeFileSync } from "node:fs";
import type { LoopStore } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { faultyDisk, osError, testStore } from "./faults.ts";
import { BY, codeOf, loopFile, newLoop, noted } from "./loops.ts";
import { makeProject } from "./project.ts";

const ROUNDS = 40;

/** Stores that know nothing of each other, as those of several processes; each waits for the disk within a commit. */
function stores(root: string, count: number): LoopStore[] {
  return Array.from({ length: count }, () => testStore(root, { disk: nodeDisk("power") }));
}

test("of a removal and a commit of two processes exactly one wins", async () => {
  const root = makeProject();
  const [one, two] = stores(root, 2) as [LoopStore, LoopStore];
  const outcomes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const id = `loop-${round}`;
    await one.create(newLoop(id), BY);
    await two.read(id);
    const work = [
      () => codeOf(one.append(id, 1, [noted("kept")], BY)),
      () => codeOf(two.remove(id, { revision: 1 })),
    ];
    const begun = (round % 2 ? work.toReversed() : work).map((act) => act());
    const [appended, removed] = await Promise.all(round % 2 ? begun.toReversed() : begun);
    const later = testStore(root);
    const found = await later.read(id).then(
      ({ state }) => state.notes,
      () => "gone",
    );
    outcomes.add(`${appended}, ${removed}, ${found}`);
    await later.close();
  }
  const kept = "none, revision_conflict, kept";
  const gone = ["revision_conflict, none, gone", "loop_not_found, none, gone"];
  expect([kept, ...gone]).toEqual(expect.arrayContaining([...outcomes]));
  expect(outcomes).toContain(kept);
  expect(outcomes.size).toBeGreaterThan(1);
  await Promise.all([one.close(), two.close()]);
});

test("a loop that is made again while others clear the one before it is kept", async () => {
  const root = makeProject();
  const [remover, maker, reader] = stores(root, 3) as [LoopStore, LoopStore, LoopStore];
  await maker.create(newLoop("a"), BY);
  for (let round = 0; round < ROUNDS; round++) {
    const made = maker.create(newLoop("a", { notes: `${round}` }), BY);
    const [code] = await Promise.all([
      codeOf(made),
      codeOf(remover.remove("a")),
      codeOf(reader.read("a")),
    ]);
    if (code === "none") continue;
    expect(code).toBe("loop_exists");
    expect((await maker.create(newLoop("a", { notes: `${round}` }), BY)).revision).toBe(1);
    expect((await reader.read("a")).state.notes).toBe(`${round}`);
  }
  const names = readdirSync(loopFile(root, "")).filter((name) => !name.startsWith("."));
  expect(names.filter((name) => name.includes("damaged"))).toEqual([]);
  await Promise.all([remover.close(), maker.close(), reader.close()]);
});

test("a loop is gone although its files cannot be deleted now, and they go with the next look", async () => {
  const root = makeProject();
  const warnings: string[] = [];
  let refuses = true;
  const disk = faultyDisk(({ name, from = "" }) => {
    if (refuses && name === "rename" && from.endsWith("a.json")) throw osError("EACCES", from);
  });
  const store = testStore(root, { disk, warn: (_, message) => warnings.push(message) });
  await store.create(newLoop("a"), BY);
  await store.remove("a");
  expect(await codeOf(store.read("a"))).toBe("loop_not_found");
  expect((await store.list()).total).toBe(0);
  expect(warnings[0]).toMatch(/^Loop a is deleted, but files of it are left: .*EACCES/);
  expect(readdirSync(loopFile(root, ""))).toContain("a.json");
  refuses = false;
  expect(await codeOf(store.read("a"))).toBe("loop_not_found");
  expect(readdirSync(loopFile(root, "")).filter((name) => name.startsWith("a."))).toEqual([]);
  await store.close();
});

test.each(["9999999999", "9999999998", "0000000007"])(
  "a loop whose history holds a file %s that is no commit can be removed",
  async (name) => {
    const root = makeProject();
    const store = testStore(root);
    await store.create(newLoop("a"), BY);
    await store.close();
    writeFileSync(loopFile(root, `a.history/${name}.json`), "rubbish");
    const later = testStore(root);
    expect(await codeOf(later.read("a"))).toBe("store_corrupt");
    expect(await codeOf(later.remove("a", { revision: 1 }))).toBe("store_corrupt");
    await later.remove("a");
    expect(await codeOf(later.read("a"))).toBe("loop_not_found");
    expect(readdirSync(loopFile(root, "")).filter((one) => one.startsWith("a."))).toEqual([]);
    expect((await later.create(newLoop("a"), BY)).revision).toBe(1);
    await later.close();
  },
);
