import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { osError, testStore } from "./faults.ts";
import { BY, loopFile, newLoop, noted, started } from "./loops.ts";
import { manyLoops } from "./many-loops.ts";
import { makeProject } from "./project.ts";

const MANY = 520;
/** Files of now are old enough to tell every change of theirs. */
const later = { wall: () => Date.now() + 60_000 };

/** A project with many loops that one process has listed. */
async function listed(): Promise<string> {
  const root = manyLoops(MANY);
  const store = testStore(root, { runtime: later });
  expect((await store.list()).total).toBe(MANY);
  await store.close();
  return root;
}

/** A store of the next process, and which files it reads. */
function nextStore(root: string) {
  const disk = nodeDisk("process");
  const reads: string[] = [];
  const read = (path: string) => {
    reads.push(path);
    return disk.read(path);
  };
  return { store: testStore(root, { runtime: later, disk: { ...disk, read } }), reads };
}

test("the next process reads the loops of the page alone, and what changed meanwhile", async () => {
  const root = await listed();
  const writer = testStore(root, { runtime: later });
  await writer.append("loop-00007", 1, [started, noted("changed")], BY);
  await writer.remove("loop-00008");
  await writer.create(newLoop("new"), BY);
  await writer.close();
  const failing = testStore(root, {
    runtime: later,
    disk: {
      ...nodeDisk("process"),
      replace: (path) => {
        throw osError("ENOSPC", path);
      },
    },
  });
  await failing.append("loop-00009", 1, [started], BY);
  const edited = readFileSync(loopFile(root, "loop-00010.json"), "utf8");
  writeFileSync(loopFile(root, "loop-00010.json"), edited.replace("Title of", "Titel of"));

  const { store, reads } = nextStore(root);
  const page = await store.list({ limit: 5 });
  expect(page.total).toBe(MANY);
  expect(reads.length).toBeLessThan(20);
  const running = await store.list({ status: "running" });
  expect(running.loops.map(({ state }) => state.loop_id).sort()).toEqual([
    "loop-00007",
    "loop-00009",
  ]);
  const titled = await store.list({ text: "titel of" });
  expect(titled.loops.map(({ state }) => state.loop_id)).toEqual(["loop-00010"]);
  expect((await store.list({ text: "loop-00008\n" })).total).toBe(0);
  expect((await store.list({ text: "title of new" })).total).toBe(1);
  await Promise.all([store.close(), failing.close()]);
});

test.each([
  ["no JSON", () => "{"],
  ["another form", (text: string) => text.replace('"version":1', '"version":2')],
  ["a status that there is not", (text: string) => text.replace('"created"', '"jumping"')],
])("a kept list that is %s is made anew", async (_, damage) => {
  const root = await listed();
  const path = loopFile(root, ".list.json");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, damage(whole));
  const { store, reads } = nextStore(root);
  expect((await store.list()).total).toBe(MANY);
  expect(reads.length).toBeGreaterThan(MANY);
  await store.close();
  const ours = (text: string) =>
    new Set(JSON.parse(text).loops.map(({ id }: { id: string }) => id));
  expect(ours(readFileSync(path, "utf8"))).toEqual(ours(whole));
});

test("of few loops nothing is kept, and where it cannot be kept nothing fails", async () => {
  const root = makeProject();
  const store = testStore(root, { runtime: later });
  await store.create(newLoop("a"), BY);
  await store.list();
  await store.close();
  expect(existsSync(loopFile(root, ".list.json"))).toBe(false);

  const many = await listed();
  const full = nodeDisk("process");
  const write = (path: string) => {
    throw osError("ENOSPC", path);
  };
  writeFileSync(loopFile(many, ".list.json"), "");
  const next = testStore(many, { runtime: later, disk: { ...full, write } });
  expect((await next.list()).total).toBe(MANY);
  await next.close();
});
