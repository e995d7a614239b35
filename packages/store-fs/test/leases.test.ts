import { isLoopError } from "@ccw-loop/core";
import { fakeClock } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.ts";
import { fsStore } from "../src/index.ts";
import { mayLive, thisProcess } from "../src/leases/process-identity.ts";
import { testStore } from "./faults.ts";
import { BY, codeOf, filesBelow, loopFile, newLoop, noted } from "./loops.ts";
import { makeProject } from "./project.ts";

async function begin() {
  const root = makeProject();
  const clock = fakeClock();
  const open = () => testStore(root, { ticks: clock.monotonic });
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
  const store = fsStore({ root, clock: { now: () => now } });
  await store.create(newLoop("a"), BY);
  await store.claim("a", "me", 60_000);
  now = new Date("2036-01-01T00:00:00Z");
  expect(await store.ownerOf("a")).toBe("me");
  await store.close();
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

test("a busy loop names its owner", async () => {
  const { store } = await begin();
  await store.claim("a", "the owner", 1000);
  const error = await store.claim("a", "me", 1000).catch((caught: unknown) => caught);
  if (!isLoopError(error, "loop_busy")) throw new Error("It was not refused.");
  expect(error.details).toEqual({ owner: "the owner" });
  expect(error.message).toContain("the owner");
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
      ticks: clock.monotonic,
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

describe("whether a process lives", () => {
  const me = thisProcess();

  test("is told by its id, its start and the boot", () => {
    expect(mayLive(me, me)).toBe(true);
    expect(mayLive({ ...me, started: "1" }, me)).toBe(me.started === null);
    expect(mayLive({ ...me, boot: "another" }, me)).toBe(false);
    expect(mayLive({ ...me, pid: 2 ** 22 + 1, started: null }, me)).toBe(false);
    expect(mayLive({ ...me, started: null }, me)).toBe(true);
  });

  test("is not judged across containers", () => {
    expect(mayLive({ ...me, namespace: "another", started: "1" }, me)).toBe(true);
  });
});
