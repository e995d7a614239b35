/** @module-tag slow */
/** Another program writes one of the files at the very moment that a commit of ours is under way. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectKept, expectWhole, openLater, prepare, readOrRecover } from "./damaged-loop.ts";
import { RUBBISH } from "./damages.ts";
import { faultyDisk } from "./faults.ts";
import { BY, eventsOf, loopFile, noted, taskAdded } from "./loops.ts";
import { makeProject } from "./project.ts";

/** Commits while, before the `at`-th changing call on the disk, `meddle` happens; false when there are fewer. */
async function commitMeddled(at: number, name: string, rubbish: Buffer): Promise<boolean> {
  const root = makeProject();
  await prepare(root);
  const told: string[] = [];
  const path = loopFile(root, name);
  const damaged = new Map<string, Buffer>();
  let calls = 0;
  const disk = faultyDisk(() => {
    if (calls++ !== at) return;
    writeFileSync(path, rubbish);
    damaged.set(path, readFileSync(path));
  });
  const store = openLater(root, told, { disk });
  const { revision } = await store.append("a", 6, [noted("kept"), taskAdded("task-9")], BY);
  const happened = calls > at;
  expect((await readOrRecover(root, store, told)).notes).toBe("kept");
  expect((await eventsOf(store, "a")).filter((one) => one.revision === revision)).toHaveLength(2);
  await store.append("a", (await store.read("a")).revision, [noted("driven on")], BY);
  await store.close();
  await expectWhole(root, told);
  if (happened) expectKept(root, damaged);
  return happened;
}

/** The journal is written at its end, in place: what lies there in that very moment is not looked at. */
const SHORT = Buffer.from("theirs\n");
const LONG = Buffer.concat([RUBBISH, RUBBISH, RUBBISH]);

test.each([
  { name: "a.json", rubbish: LONG },
  { name: "a.journal.jsonl", rubbish: SHORT },
  { name: "a.tasks.jsonl", rubbish: LONG },
  { name: "a.history/0000000006.json", rubbish: LONG },
  { name: "a.progress/develop.md", rubbish: LONG },
])("$name, written by another program before any call of a commit", async ({ name, rubbish }) => {
  let at = 0;
  while (await commitMeddled(at, name, rubbish)) at += 1;
  expect(at).toBeGreaterThan(8);
});
