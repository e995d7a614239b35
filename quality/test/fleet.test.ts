/** @module-tag slow */
import { expect, test } from "vitest";
import { fleetLine, fleetSoak } from "../soak/src/fleet/rounds.ts";
import { TROUBLE_NAMES } from "../soak/src/fleet/troubles.ts";

/** A little of what `npm run soak:fleet` does: each way to lose a worker, and each trouble once. */
test("loops of machines that are lost are neither lost nor worked on twice", {
  timeout: 600_000,
}, async (context) => {
  const kills = 2 * TROUBLE_NAMES.length;
  const result = await fleetSoak({ kills, seed: 7, leaseMs: 4000, onProgress: () => undefined });
  if (result === null) return context.skip("No namespaces are permitted here.");
  expect(result.missing).toEqual([]);
  expect([...result.lost, ...result.twice, ...result.unreadable, ...result.broken]).toEqual([]);
  expect(fleetLine(result)).toMatch(/^kills: 12, lost: 0, twice: 0, unreadable: 0, takeover p50: /);
});
