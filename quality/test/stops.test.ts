/** @module-tag slow */
import { expect, test } from "vitest";
import { stopLoops } from "../soak/src/stops/stops.ts";

/** A little of what `npm run soak:stops` does, always the same stops. */
test.runIf(process.platform === "linux")(
  "nothing survives a stop or a kill",
  {
    timeout: 120_000,
  },
  async () => {
    const results = await stopLoops({ stops: 5, seed: 4, codexEvery: 0 });
    expect(results.filter(({ survivors }) => survivors > 0)).toEqual([]);
    expect(new Set(results.map(({ way }) => way)).size).toBe(3);
    expect(results.filter(({ running }) => running === 0)).toEqual([]);
  },
);
