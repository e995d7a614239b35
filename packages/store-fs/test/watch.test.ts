import { mkdirSync, writeFileSync } from "node:fs";
import type { LoopStore } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { fsStore } from "../src/index.ts";
import { folderWatch } from "../src/list/watch.ts";
import { messageOf, startChild } from "./child.ts";
import { BY, loopFile, newLoop, noted } from "./loops.ts";
import { makeProject } from "./project.ts";

/** The first id that a watch yields after `change`, and how long that took. */
async function seenAfter(store: LoopStore, id: string | undefined, change: () => unknown) {
  const stop = new AbortController();
  const ids = store.watch(id, stop.signal)[Symbol.asyncIterator]();
  const begin = performance.now();
  await change();
  const { value } = await ids.next();
  stop.abort();
  return { value, ms: performance.now() - begin };
}

test("a change by another store is seen at once", async () => {
  const root = makeProject();
  const [store, other] = [fsStore({ root }), fsStore({ root })];
  await store.create(newLoop("a"), BY);
  const times: number[] = [];
  for (let revision = 1; revision <= 20; revision++) {
    const { value, ms } = await seenAfter(store, "a", () =>
      other.append("a", revision, [noted(`n${revision}`)], BY),
    );
    expect(value).toBe("a");
    times.push(ms);
  }
  // Mostly a few milliseconds; the look every 400 ms is the floor on a busy machine.
  expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(200);
  await Promise.all([store.close(), other.close()]);
});

test("a change by another process is seen", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  const { value } = await seenAfter(store, undefined, () =>
    messageOf(startChild("counter", root, "1")),
  );
  expect(value).toBe("a");
  expect((await store.read("a")).state.notes).toBe("1");
  await store.close();
});

test("a file that an editor writes in place is seen", async () => {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a"), BY);
  const path = loopFile(root, "a.json");
  const { value } = await seenAfter(store, "a", () =>
    writeFileSync(path, JSON.stringify(newLoop("a"))),
  );
  expect(value).toBe("a");
  await store.close();
});

test.each(["a", undefined])("watching %s can begin before there is any loop", async (id) => {
  const root = makeProject();
  const [store, other] = [fsStore({ root }), fsStore({ root })];
  const { value } = await seenAfter(store, id, () => other.create(newLoop("a"), BY));
  expect(value).toBe("a");
  await Promise.all([store.close(), other.close()]);
});

test("where the system says nothing, looking now and then does", async () => {
  const root = makeProject();
  const folder = loopFile(root, "");
  mkdirSync(folder, { recursive: true });
  const disk = nodeDisk("process");
  // A folder that the disk can see and the system cannot watch.
  const watch = folderWatch({ ...disk, info: () => disk.info(folder) }, `${folder}/missing`);
  const told = new Promise<string | null>((resolve) => {
    watch.subscribe(resolve, true);
  });
  writeFileSync(loopFile(root, "a.json"), "{}");
  expect(await told).toBeNull();
  watch.close();
});
