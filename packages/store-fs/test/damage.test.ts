import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopState } from "@ccw-loop/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  copyProject,
  damageAll,
  driveOn,
  expectKept,
  expectSame,
  expectWhole,
  type Form,
  NEWEST,
  openLater,
  prepare,
  readOrRecover,
} from "./damaged-loop.ts";
import { DAMAGES } from "./damages.ts";
import { AT, BY, codeOf, eventsOf, loopFile, noted } from "./loops.ts";
import { makeProject } from "./project.ts";

const CHANGES: Form = { wholeBelow: 0 };
let prepared = "";
/** The same loop, its commits telling only what they changed. */
let changes = "";
let before: LoopState;

beforeAll(async () => {
  [prepared, changes] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "store-fs-"))) as [
    string,
    string,
  ];
  before = await prepare(prepared);
  await prepare(changes, CHANGES);
});
afterAll(() => {
  for (const folder of [prepared, changes]) rmSync(folder, { recursive: true });
});

const DOCUMENTS = () =>
  readdirSync(loopFile(prepared, "a.progress")).filter((name) => !name.startsWith("agent"));
const inProgress = (names: readonly string[]) => names.map((name) => `a.progress/${name}`);

/** What is damaged together, by the names below the loops' folder. */
const TARGETS: Record<string, () => string[]> = {
  "the state file": () => ["a.json"],
  "the journal": () => ["a.journal.jsonl"],
  "the newest commit": () => [`a.history/000000000${NEWEST}.json`],
  "an old commit": () => ["a.history/0000000003.json"],
  "the lease record": () => ["a.history/epoch-0000000001/lease-1.json"],
  "the task list": () => ["a.tasks.jsonl"],
  "every progress document": () => inProgress(DOCUMENTS()),
  "the agent's log": () => inProgress(["agent.log"]),
  "the agent's older log": () => inProgress(["agent.log.1"]),
  "a kept object of git": () => [".objects/ab/cdef"],
  "the state file and the newest commit": () => ["a.json", `a.history/000000000${NEWEST}.json`],
  "the journal and an old commit": () => ["a.journal.jsonl", "a.history/0000000003.json"],
  "the state file and the journal": () => ["a.json", "a.journal.jsonl"],
};

/** Targets that meet every damage; the others meet the coarse ones. */
const EVERY = new Set(["the state file", "the journal", "the newest commit", "the task list"]);
const COARSE = new Set([
  "cut to a third",
  "overwritten with bytes",
  "deleted",
  "replaced by a link",
]);
const CASES = Object.keys(TARGETS).flatMap((target) =>
  Object.keys(DAMAGES)
    .filter((damage) => EVERY.has(target) || COARSE.has(damage))
    .map((damage) => ({ target, damage })),
);

const HISTORY = CASES.filter(({ target }) => /commit|journal|state file/.test(target));

describe.each([
  { when: "at rest", form: {}, cases: CASES },
  { when: "under an open store", form: {}, cases: CASES },
  { when: "at rest, below commits that tell what they changed", form: CHANGES, cases: HISTORY },
])("what is damaged $when", ({ when, form, cases }) => {
  test.each(cases)("$target, $damage", async ({ target, damage }) => {
    const root = makeProject();
    copyProject(form === CHANGES ? changes : prepared, root);
    const told: string[] = [];
    const store = openLater(root, told, form);
    if (when === "under an open store") await store.read("a");
    const names = TARGETS[target]?.() ?? [];
    const damaged = damageAll(root, names, DAMAGES[damage] ?? expect.fail);
    await expectSame(store, await readOrRecover(root, store, told), before);
    await driveOn(store);
    await store.close();
    await expectWhole(root, told);
    // A claim takes the record of the lease before it away, whatever it says.
    if (target !== "the lease record") expectKept(root, damaged);
  });
});

/** Changes a file into another one that is as valid, and says something else. */
function falsify(root: string, name: string): void {
  const path = loopFile(root, name);
  writeFileSync(path, readFileSync(path, "utf8").replace('"newest"', '"newesT"'));
}

test("a word that changed in the events of a commit is damage, not another truth", async () => {
  const root = makeProject();
  copyProject(prepared, root);
  falsify(root, `a.history/000000000${NEWEST}.json`);
  const store = openLater(root, []);
  expect(await codeOf(store.read("a"))).toBe("store_corrupt");
  await store.close();
});

test("a word that changed in the journal is told from the history, and mended by a recovery", async () => {
  const root = makeProject();
  copyProject(prepared, root);
  const journal = readFileSync(loopFile(root, "a.journal.jsonl"), "utf8");
  falsify(root, "a.journal.jsonl");
  const store = openLater(root, []);
  expect(JSON.stringify((await eventsOf(store, "a")).at(-1))).toContain('"newest"');
  const { notes } = await store.recover("a", { dryRun: false, at: AT });
  expect(notes.join()).toContain("1 line of the journal cannot be read");
  expect(readFileSync(loopFile(root, "a.journal.jsonl"), "utf8")).toBe(journal);
  await store.close();
});

test("a folder with all commits that is gone, emptied, or another thing: the loop is there, and paused", async () => {
  for (const damage of ["deleted", "replaced by a link", "a file"] as const) {
    const root = makeProject();
    copyProject(prepared, root);
    const told: string[] = [];
    const path = loopFile(root, "a.history");
    if (damage === "replaced by a link") DAMAGES[damage]?.(path);
    else rmSync(path, { recursive: true });
    if (damage === "a file") cpSync(loopFile(root, "a.json"), path);
    const store = openLater(root, told);
    const state = await readOrRecover(root, store, told);
    await expectSame(store, state, { ...before, status: "paused" });
    await driveOn(store);
    await store.close();
    await expectWhole(root, told);
  }
});

test.each(["deleted", "a file", "two of them"])(
  "the folder of the epoch, %s: who held the lease is fenced, and nobody gets its epoch again",
  async (damage) => {
    const root = makeProject();
    copyProject(prepared, root);
    const epoch = (n: number) => loopFile(root, `a.history/epoch-000000000${n}`);
    if (damage === "two of them") {
      cpSync(epoch(1), epoch(2), { recursive: true });
    } else {
      rmSync(epoch(1), { recursive: true });
      if (damage === "a file") cpSync(loopFile(root, "a.json"), epoch(1));
    }
    const store = openLater(root, []);
    const lease = await store.claim("a", "next", 1000);
    expect(lease.epoch).toBeGreaterThan(1);
    const old = { id: "a", owner: "gone", epoch: 1, ttlMs: 1000 };
    expect(await codeOf(store.renew(old))).toBe("fenced");
    expect(await codeOf(store.append("a", NEWEST, [noted("late")], { ...BY, epoch: 1 }))).toBe(
      "fenced",
    );
    await store.append("a", NEWEST, [noted("next")], { ...BY, epoch: lease.epoch });
    await store.renew(lease);
    await store.close();
  },
);
