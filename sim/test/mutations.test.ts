import { expect, test } from "vitest";
import { MUTATIONS } from "../src/mutations.ts";
import { runSeed } from "../src/run-seed.ts";

const MOST = 1000;

test.each(Object.entries(MUTATIONS))(
  "%s: is found",
  { timeout: 300_000 },
  async (name, mutation) => {
    let seeds = 0;
    let found: string | undefined;
    while (found === undefined && seeds < MOST) {
      seeds += 1;
      const [violation] = (await runSeed(seeds, mutation)).violations;
      if (violation) found = `promise ${violation.promise}: ${violation.text}`;
    }
    console.log(`${name}: found after ${seeds} seeds (${found})`);
    expect(found).toBeDefined();
  },
);
