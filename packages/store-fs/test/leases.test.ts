import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { isLoopError } from "@ccw-loop/core";
import { startOf, thisProcess } from "@ccw-loop/processes/identity";
import { fakeClock } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { testStore } from "./faults.ts";
import { BY, codeOf, filesBelow, loopFile, newLoop, noted, readJson } from "./loops.ts";
import { makeProject } from "./project.ts";
import { rivals } from "./rivals.ts";

async function begin() {
  const root = makeProject();
  const clock = fakeClock();
  const open = () => testStore(root, { runtime: { bootClockMs: clock.monotonic } });
  const store = open();
  await store.create(newLoop("a"), BY);
  return { root, clock, store, open };
}

test("a lease of a suspended owner runs out, and the owner is fenced when it wakes", async () => {
  const { clock, store: sleeper, open } = await begin();
  const other = open();
  const { epoch } = await sleeper.claim("a", "sleeper", 30_000);
  await clock.advance(29_999);
  expect(await codeOf(other.claim("a", "other", 30_000))).toBe("loop_busy");
  await clock.advance(1);
  const lease = await other.claim("a", "other", 30_000);
  expect(lease.epoch).toBe(epoch + 1);
  expect(await codeOf(sleeper.append("a", 1, [noted("late")], { ...BY, epoch }))).toBe("fenced");
  await other.append("a", 1, [noted("in time")], { ...BY, epoch: lease.epoch });
  expect((await sleeper.read("a")).state.notes).toBe("in time");
});

test("a wall clock that jumps changes nothing", async () => {
  const root = makeProject();
  let now = new Date("2026-01-01T00:00:00Z");
  const store = testStore(root, { runtime: { wall: () => now.getTime() } });
  await store.create(newLoop("a"), BY);
  await store.claim("a", "me", 60_000);
  now = new Date("2036-01-01T00:00:00Z");
  expect(await store.ownerOf("a")).toBe("me");
  await store.close();
});

test("a suspended owner whose timer fires late does not renew what it lost", async () => {
  const { clock, store: sleeper, open } = await begin();
  const lease = await sleeper.claim("a", "sleeper", 1000);
  await clock.advance(1000);
  const other = open();
  const theirs = await other.claim("a", "other", 1000);
  expect(await codeOf(sleeper.renew(lease))).toBe("fenced");
  await other.release(theirs);
  expect(await codeOf(sleeper.renew(lease))).toBe("fenced");
  expect(await codeOf(other.renew(theirs))).toBe("fenced");
  await sleeper.release(lease);
  expect((await sleeper.claim("a", "sleeper", 1000)).epoch).toBe(theirs.epoch + 1);
});

test("who stood still in the middle of a claim is not given an older epoch than another", async () => {
  const { root, clock, open } = await begin();
  const other = open();
  const disk = nodeDisk("process");
  let meanwhile: (() => Promise<void>) | null = null;
  const sleeper = testStore(root, {
    runtime: { bootClockMs: clock.monotonic },
    disk: {
      ...disk,
      syncFolder: async (path) => {
        await disk.syncFolder(path);
        const wake = meanwhile;
        meanwhile = null;
        await wake?.();
      },
    },
  });
  const another = async () => {
    await clock.advance(1000);
    await other.claim("a", "other", 1000);
  };
  meanwhile = another;
  expect(await codeOf(sleeper.claim("a", "sleeper", 1000))).toBe("loop_busy");
  expect(await other.ownerOf("a")).toBe("other");
  await clock.advance(1000);
  meanwhile = async () => {
    await another();
    await clock.advance(1000);
  };
  expect((await sleeper.claim("a", "sleeper", 1000)).epoch).toBe(5);
});

test("a lease that runs longer than it was given for was counted by another clock", async () => {
  const root = makeProject();
  const before = testStore(root, { runtime: { bootClockMs: () => 9_000_000 } });
  await before.create(newLoop("a"), BY);
  await before.claim("a", "before the restart", 1000);
  const after = testStore(root, { runtime: { bootClockMs: () => 5000 } });
  expect(await after.ownerOf("a")).toBeNull();
  expect((await after.claim("a", "after it", 1000)).epoch).toBe(2);
});

describe("an owner that is dead", () => {
  const me = thisProcess();
  test.each([
    { what: "another process has its id", other: { started: "1" }, owner: null },
    { what: "the machine was started again", other: { boot: "another" }, owner: null },
    { what: "it lives in another container", other: { namespace: "other" }, owner: "it" },
    { what: "it is this process", other: {}, owner: "it" },
  ])("is told by what the lease says of it: $what", async ({ other, owner }) => {
    const { clock, store, root, open } = await begin();
    const { epoch } = await store.claim("a", "it", 1000);
    const path = loopFile(root, `a.history/epoch-000000000${epoch}/lease-${epoch}.json`);
    writeFileSync(path, JSON.stringify({ ...readJson(path), process: { ...me, ...other } }));
    expect(await open().ownerOf("a")).toBe(owner);
    expect(await codeOf(open().claim("a", "next", 1000))).toBe(owner ? "loop_busy" : "none");
    await clock.advance(1000);
    expect(await codeOf(open().claim("a", "late", 1000))).toBe("none");
  });
});

test("of twenty writers with the same revision exactly one wins, in 200 rounds", {
  tags: ["slow"],
  timeout: 120_000,
}, async () => {
  const { counts, atOnce } = await rivals(makeProject(), 200);
  expect(counts).toEqual(new Map([[1, 200]]));
  expect(atOnce).toBeGreaterThan(0);
});

test("renewing pushes the end of a lease on", async () => {
  const { clock, store } = await begin();
  const lease = await store.claim("a", "me", 1000);
  for (let i = 0; i < 5; i++) {
    await clock.advance(900);
    await store.renew(lease);
  }
  expect(await store.ownerOf("a")).toBe("me");
});

test("a busy loop names its owner, and how to take it over", async () => {
  const { store } = await begin();
  await store.claim("a", "the owner", 1000);
  const error = await store.claim("a", "me", 1000).catch((caught: unknown) => caught);
  if (!isLoopError(error, "loop_busy")) throw new Error("It was not refused.");
  expect(error.details).toEqual({ owner: "the owner", pid: process.pid, left_ms: 1000 });
  expect(error.message).toBe(
    `Loop a is being driven by the owner (process ${process.pid}). Stop it there with: ccw-loop pause a. If it no longer answers, take the loop over in 1 s with: ccw-loop resume a`,
  );
});

describe("what a lease record says is believed only within bounds", () => {
  const MINUTE = 60_000;
  const living = { ...thisProcess(), pid: process.ppid, started: startOf(process.ppid) };

  test.each<[string, object, "at once" | "in time"]>([
    ["no end", { expires: 1e308, ttl: 1e308 }, "at once"],
    ["no end, and no time that it was given for", { expires: 1e308, ttl: undefined }, "at once"],
    ["an end far away, given for a minute", { expires: 1e15, ttl: MINUTE }, "at once"],
    ["a time of a day", { expires: 86_400_000, ttl: 86_400_000 }, "at once"],
    ["a text for its end", { expires: "tomorrow" }, "at once"],
    ["no number at all", { expires: null }, "at once"],
    [
      "a process below all",
      { expires: MINUTE, ttl: MINUTE, process: { ...living, pid: -1 } },
      "at once",
    ],
    ["an epoch beyond all", { expires: MINUTE, ttl: MINUTE, epoch: 1e308 }, "at once"],
    ["an owner without end", { expires: MINUTE, ttl: MINUTE, owner: "x".repeat(1e6) }, "at once"],
    ["a minute", { expires: MINUTE, ttl: MINUTE }, "in time"],
  ])("%s, of a process that lives", async (_, wrong, when) => {
    const { clock, root, store, open } = await begin();
    const { epoch } = await store.claim("a", "it", 1000);
    const path = loopFile(root, `a.history/epoch-000000000${epoch}/lease-${epoch}.json`);
    writeFileSync(path, JSON.stringify({ ...readJson(path), process: living, ...wrong }));
    if (when === "in time") {
      expect(await codeOf(open().claim("a", "next", 1000))).toBe("loop_busy");
      await clock.advance(MINUTE);
    }
    expect(await codeOf(open().claim("a", "next", 1000))).toBe("none");
  });
});

describe("an epoch beyond all that was given", () => {
  test("the last one is set aside, and who drives goes on", async () => {
    const { root, store, open } = await begin();
    const { epoch } = await store.claim("a", "it", 1000);
    mkdirSync(loopFile(root, "a.history/epoch-9999999999"));
    expect(await codeOf(open().claim("a", "next", 1000))).toBe("loop_busy");
    await store.append("a", 1, [noted("it")], { ...BY, epoch });
    expect(readdirSync(loopFile(root, "a.history"))).toContain("epoch-9999999999.damaged-0");
  });

  test("where it is the only one, claims begin again above all that there were", async () => {
    const { root, store, open } = await begin();
    const { epoch } = await store.claim("a", "it", 1000);
    renameSync(
      loopFile(root, `a.history/epoch-000000000${epoch}`),
      loopFile(root, "a.history/epoch-9999999999"),
    );
    const lease = await open().claim("a", "next", 1000);
    expect(lease.epoch).toBeGreaterThan(1_700_000_000);
    expect(lease.epoch).toBeLessThan(9_999_999_999);
    expect(await codeOf(store.append("a", 1, [noted("it")], { ...BY, epoch }))).toBe("fenced");
  });
});

test("of claimers in several stores exactly one wins each round", async () => {
  const { clock, open } = await begin();
  const stores = [open(), open(), open(), open()];
  let last = 0;
  for (let round = 0; round < 30; round++) {
    const claims = stores.map((store, n) => store.claim("a", `owner ${n}`, 1000));
    const won = (await Promise.allSettled(claims)).filter((one) => one.status === "fulfilled");
    expect(won).toHaveLength(1);
    expect(won[0]?.value.epoch).toBeGreaterThan(last);
    last = won[0]?.value.epoch ?? 0;
    await clock.advance(1000);
  }
});

describe("an append that is under way when the lease is lost", () => {
  test.each(["before", "after"])("%s its file was written adds nothing", async (moment) => {
    const { root, clock, open } = await begin();
    const other = open();
    let lose: (() => Promise<unknown>) | null = null;
    const disk = nodeDisk("process");
    const store = testStore(root, {
      runtime: { bootClockMs: clock.monotonic },
      disk: {
        ...disk,
        writeDurably: async (path, text) => {
          if (moment === "before") await lose?.();
          await disk.writeDurably(path, text);
          if (moment === "after") await lose?.();
        },
      },
    });
    const { epoch } = await store.claim("a", "me", 1000);
    await clock.advance(1000);
    lose = () => other.claim("a", "other", 1000);
    expect(await codeOf(store.append("a", 1, [noted("mine")], { ...BY, epoch }))).toBe("fenced");
    expect(await other.ownerOf("a")).toBe("other");
    expect((await other.read("a")).revision).toBe(1);
    const names = filesBelow(loopFile(root, "a.history"));
    expect(Object.keys(names).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});
