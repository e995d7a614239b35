import type { LoopEvent } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { AT, BY, newLoop, newPlace, open, started } from "./places.ts";

const waits: LoopEvent = {
  type: "waiting.started",
  at: AT,
  waiting: { kind: "input", since: AT },
};

test("figures tell which running loops are driven, wait, and want somebody, and how many were taken over", async () => {
  const store = open(await newPlace());
  const zero = { driven: 0, waiting: 0, queued: 0, lease_age_ms: null, takeovers: 0 };
  expect(await store.figures?.()).toEqual(zero);
  for (const id of ["driven", "waits", "queued", "paused"]) await store.create(newLoop(id), BY);
  for (const id of ["driven", "waits", "queued"]) await store.append(id, 1, [started], BY);
  await store.append("waits", 2, [waits], BY);
  await store.release(await store.claim("queued", "one", 60_000));
  const lease = await store.claim("driven", "one", 60_000);
  const { lease_age_ms, ...counts } = (await store.figures?.()) ?? zero;
  expect(counts).toEqual({ driven: 1, waiting: 1, queued: 1, takeovers: 0 });
  expect(lease_age_ms).toBeGreaterThanOrEqual(0);
  expect(lease_age_ms).toBeLessThan(60_000);

  // Its owner dies: the lease ends, and somebody takes it over.
  await store.renew({ ...lease, ttlMs: 1 });
  await vi.waitFor(async () => expect(await store.ownerOf("driven")).toBeNull());
  expect(await store.figures?.()).toEqual({ ...zero, waiting: 1, queued: 2 });
  const taken = await store.claim("driven", "two", 60_000);
  expect(await store.figures?.()).toMatchObject({ driven: 1, queued: 1, takeovers: 1 });
  await store.release(taken);
  await store.claim("driven", "one", 60_000);
  expect(await store.figures?.()).toMatchObject({ driven: 1, takeovers: 1 });
});
