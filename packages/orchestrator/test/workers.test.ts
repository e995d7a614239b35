import { expect, test, vi } from "vitest";
import { atTurn, atWork, house } from "./supervising.ts";
import { actions } from "./support.ts";

const PATIENCE = { timeout: 10_000, interval: 2 };

test("a loop is left to a supervisor that has every label it needs, and taken up once it needs less", async () => {
  const { agent, open, started, statuses } = house();
  const loops = open();
  const needs = (id: string, ...labels: string[]) =>
    loops.send(id, { type: "edit", changes: { settings: { needs: labels } } });
  await started("gpu", "linux", "any");
  await needs("gpu", "linux", "gpu");
  await needs("linux", "linux");
  agent.letGo("gpu", "linux", "any");
  const plain = atWork(open());
  await vi.waitFor(async () => expect(await statuses("any")).toEqual(["completed"]), PATIENCE);
  const linux = atWork(open(), 4, { labels: ["linux", "arm"] });
  await vi.waitFor(async () => expect(await statuses("linux")).toEqual(["completed"]), PATIENCE);
  expect(await statuses("gpu")).toEqual(["running"]);
  await needs("gpu", "arm");
  await vi.waitFor(async () => expect(await statuses("gpu")).toEqual(["completed"]), PATIENCE);
  expect([plain.taken(), linux.taken()]).toEqual([["any"], ["linux", "gpu"]]);
});

test("a worker leaves loops alone whose files are on a machine that nobody names", async () => {
  const { agent, open, started, statuses } = house();
  await started("a");
  agent.letGo("a");
  const worker = atWork(open(), 4, { onlyRepositories: true });
  const other = atWork(open());
  await vi.waitFor(async () => expect(await statuses("a")).toEqual(["completed"]), PATIENCE);
  expect([worker.taken(), other.taken()]).toEqual([[], ["a"]]);
});

test("a drain with time lets the running action end and begins no other one", async () => {
  const { agent, store, open, started, statuses } = house();
  await started("a");
  const worker = atWork(open(), 4, { graceMs: 60_000 });
  await atTurn(agent, "a");
  const drained = worker.drain();
  agent.letGo("a");
  await drained;
  expect(await statuses("a")).toEqual(["running"]);
  expect(await actions(store, "a")).toEqual(["INIT", "DEVELOP"]);
  expect(await store.ownerOf("a")).toBeNull();
  atWork(open());
  await vi.waitFor(async () => expect(await statuses("a")).toEqual(["completed"]), PATIENCE);
});

test("an action that does not end in that time is cut off, and begun again by the next supervisor", async () => {
  const { agent, store, open, started, statuses } = house();
  await started("a");
  const worker = atWork(open(), 4, { graceMs: 50 });
  await atTurn(agent, "a");
  await worker.drain();
  expect(await statuses("a")).toEqual(["running"]);
  agent.letGo("a");
  atWork(open());
  await vi.waitFor(async () => expect(await statuses("a")).toEqual(["completed"]), PATIENCE);
  const done = ["INIT", "DEVELOP(interrupted)", "DEVELOP", "VALIDATE(pass)", "COMPLETE"];
  expect(await actions(store, "a")).toEqual(done);
});
