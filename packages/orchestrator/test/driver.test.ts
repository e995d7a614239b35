import { memoryStore } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { bench, plan, verifierThat } from "./support.ts";

const PATIENCE = { timeout: 10_000, interval: 5 };

/** A service and a loop that was started, and that nobody drives yet. */
async function waiting() {
  const store = memoryStore();
  const b = bench([plan("one")], verifierThat("pass"), { store });
  const id = await b.start();
  await b.service.send(id, { type: "start" });
  const seen = async () => ({ list: await b.service.list(), why: await b.service.why(id) });
  return { ...b, store, id, seen };
}

test("a running loop whose driver is gone has none, since that one was last seen", async () => {
  const { store, id, seen } = await waiting();
  const lease = await store.claim(id, "the driver", 60_000);
  onTestFinished(() => store.release(lease).catch(() => undefined));
  const driven = await seen();
  expect(driven.why).toMatchObject({ driven_by: "the driver", undriven_since: null });
  expect(driven.list.undriven).toEqual([]);

  const { renewed_at = "" } = (await store.leaseOf(id)) ?? {};
  await store.release(lease);
  await store.claim(id, "one that dies", 1);
  await vi.waitFor(async () => expect((await store.leaseOf(id))?.living).toBe(false), PATIENCE);
  const left = await seen();
  const since = left.why.undriven_since ?? "";
  expect(left.why.driven_by).toBeNull();
  expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(renewed_at));
  expect(left.list.undriven).toEqual([{ id, since }]);
});

test("a loop that is started and was never driven has no driver; one at rest needs none", async () => {
  const { service, id, seen } = await waiting();
  expect((await seen()).list.undriven).toMatchObject([{ id }]);
  await service.send(id, { type: "pause" });
  const paused = await seen();
  expect(paused.list.undriven).toEqual([]);
  expect(paused.why).toMatchObject({ driven_by: null, undriven_since: null });
});
