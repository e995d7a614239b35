import { LoopError, LoopState } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { untilReleased } from "../../src/client/run.ts";

const AT = "2026-01-22T10:00:00.000Z";
const loop = (status: LoopState["status"]) =>
  LoopState.parse({ loop_id: "a", title: "a", status, created_at: AT, updated_at: AT });

/** A service where the loop's owner is told in turn, the last for good; `looks` counts. */
function owned(owners: (string | null)[], action: "DEVELOP" | null = null) {
  const service = {
    looks: 0,
    why: async () => {
      const driven_by = owners[Math.min(service.looks, owners.length - 1)] ?? null;
      service.looks += 1;
      return { action, rule: 1, reason: "", guards: [], driven_by, undriven_since: null };
    },
    get: async () => loop("paused"),
  };
  return service;
}

test("waits until nobody drives the loop", async () => {
  const service = owned(["server", "server", null]);
  expect((await untilReleased(service, loop("running"))).status).toBe("paused");
  expect(service.looks).toBe(3);
});

test("does not wait for a loop that runs again", async () => {
  const service = owned(["server"], "DEVELOP");
  await untilReleased(service, loop("paused"));
  expect(service.looks).toBe(1);
});

test("answers with what it knows of a loop that is gone", async () => {
  const gone = async () => {
    throw new LoopError("loop_not_found", "Loop a does not exist.");
  };
  const known = loop("completed");
  expect(await untilReleased({ why: gone, get: gone }, known)).toBe(known);
});
