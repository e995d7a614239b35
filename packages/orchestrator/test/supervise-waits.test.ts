import { type FakeClock, fakeClock, memoryStore } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { atTurn, atWork, type House, house, usedUp } from "./supervising.ts";
import { journal } from "./support.ts";

const PATIENCE = { timeout: 10_000, interval: 2 };
const START = "2030-01-01T00:00:00.000Z";
const TOMORROW = "2030-01-02T00:00:00.000Z";
const HOUR = 3_600_000;

/** A house whose time stands still until the test moves it. */
function stillHouse(): House & { clock: FakeClock } {
  const clock = fakeClock({ start: START });
  const store = memoryStore({ monotonic: clock.monotonic });
  return { ...house({ clock, store }), clock };
}

async function waitsFor(b: House, id: string): Promise<void> {
  await vi.waitFor(async () => {
    expect(await b.statuses(id)).toEqual(["waiting"]);
    expect(await b.store.ownerOf(id)).toBeNull();
  }, PATIENCE);
}

async function resumptions({ store }: House, id: string): Promise<number> {
  return (await journal(store, id)).filter(({ event }) => event.type === "waiting.ended").length;
}

test("a usage limit takes no slot and no lease, and is resumed exactly once when it is lifted", async () => {
  const b = stillHouse();
  await b.started("a", "b");
  b.agent.fail("a", usedUp("2030-01-01T01:00:00.000Z"));
  atWork(b.open(), 1);
  atWork(b.open(), 1);
  await waitsFor(b, "a");
  await atTurn(b.agent, "b");
  await b.clock.advance(HOUR - 1000);
  expect(await b.statuses("a")).toEqual(["waiting"]);
  await b.clock.advance(1000);
  await atTurn(b.agent, "a", "b");
  await b.clock.advance(60_000);
  expect(await resumptions(b, "a")).toBe(1);
  expect(b.agent.begun.filter((turn) => turn.startsWith("a:"))).toEqual([
    "a:INIT",
    "a:INIT",
    "a:DEVELOP",
  ]);
});

test("a supervisor that begins after the limit was lifted resumes at once", async () => {
  const b = stillHouse();
  await b.started("a");
  b.agent.fail("a", usedUp("2030-01-01T01:00:00.000Z"));
  const first = atWork(b.open());
  await waitsFor(b, "a");
  await first.drain();
  await b.clock.advance(2 * HOUR);
  expect(await b.statuses("a")).toEqual(["waiting"]);
  atWork(b.open());
  await atTurn(b.agent, "a");
  expect(await resumptions(b, "a")).toBe(1);
});

test("a limit that an operator ends goes on at once", async () => {
  const b = stillHouse();
  await b.started("a");
  b.agent.fail("a", usedUp(TOMORROW));
  atWork(b.open());
  await waitsFor(b, "a");
  await b.open().send("a", { type: "resume", now: true });
  await atTurn(b.agent, "a");
  await b.clock.advance(48 * HOUR);
  expect(await resumptions(b, "a")).toBe(1);
});

test("a wall clock that is set forward ends the wait by its new time; set back, the wait is longer", async () => {
  const b = stillHouse();
  await b.started("a");
  b.agent.fail("a", usedUp("2030-01-01T01:00:00.000Z"));
  atWork(b.open());
  await waitsFor(b, "a");
  b.clock.setWall("2029-12-31T00:00:00.000Z");
  await b.clock.advance(2 * HOUR);
  expect(await b.statuses("a")).toEqual(["waiting"]);
  b.clock.setWall(TOMORROW);
  await b.clock.advance(30_000);
  await atTurn(b.agent, "a");
  expect(await resumptions(b, "a")).toBe(1);
});

test.each([TOMORROW, "2029-12-31T00:00:00.000Z"])(
  "the owner keeps its loop when the wall clock jumps to %s",
  async (time) => {
    const b = stillHouse();
    await b.started("a");
    const owner = atWork(b.open());
    const other = atWork(b.open());
    await atTurn(b.agent, "a");
    b.clock.setWall(time);
    await b.clock.advance(60_000);
    expect([...b.agent.live]).toEqual(["a"]);
    expect([...owner.taken(), ...other.taken()]).toEqual(["a"]);
    b.agent.letGo("a");
    await vi.waitFor(async () => expect(await b.statuses("a")).toEqual(["completed"]), PATIENCE);
  },
);

test("a loop whose files fail is tried again later and later, whichever way the wall clock goes", async () => {
  const b = stillHouse();
  await b.started("a");
  const tries: number[] = [];
  b.store.leaseOf = async () => {
    tries.push(b.clock.monotonic());
    throw new Error("input/output error");
  };
  atWork(b.open());
  await vi.waitFor(() => expect(tries).toHaveLength(1), PATIENCE);
  b.clock.setWall("2029-12-31T00:00:00.000Z");
  await b.clock.advance(HOUR);
  const gaps = tries.slice(1).map((time, n) => time - (tries[n] ?? 0));
  expect(gaps.slice(0, 5)).toEqual([750, 1500, 3000, 6000, 12_000]);
  expect(new Set(gaps.slice(9))).toEqual(new Set([225_000]));
});

test("a loop whose owner died is taken over when its lease runs out, also between two looks", async () => {
  const b = stillHouse();
  await b.started("a");
  await b.store.claim("a", "another process", 2300);
  const supervisor = atWork(b.open());
  const looks: number[] = [];
  const { leaseOf } = b.store;
  b.store.leaseOf = (id) => {
    looks.push(b.clock.monotonic());
    return leaseOf(id);
  };
  await vi.waitFor(() => expect(looks).toHaveLength(1), PATIENCE);
  await b.clock.advance(2299);
  expect(supervisor.taken()).toEqual([]);
  await b.clock.advance(1);
  await vi.waitFor(() => expect(supervisor.taken()).toEqual(["a"]), PATIENCE);
  expect(looks).toHaveLength(3);
});
