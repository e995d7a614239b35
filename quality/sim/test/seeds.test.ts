import { expect, test } from "vitest";
import { EVENTS, missing } from "../src/judge/events.ts";
import { runMany } from "../src/run-many.ts";
import { runSeed } from "../src/run-seed.ts";

/** Ten of each scene; `npm run sim` runs 1,000 seeds, `npm run sim -- --seeds N` any number. */
const SEEDS = 160;

test(`${SEEDS} seeds violate no promise`, { timeout: 600_000, tags: ["slow"] }, async () => {
  const { bad, violations, commits, tally } = await runMany(1, SEEDS);
  console.log(`seeds: ${SEEDS}, violations: ${violations} (${commits} acknowledged commits)`);
  expect(bad).toEqual([]);
  expect(missing(tally, SEEDS)).toEqual([]);
  expect(commits).toBeGreaterThan(10 * SEEDS);
});

test("a seed that takes too long is named", async () => {
  const { bad, violations } = await runMany(1, 1, { limitMs: 1 });
  expect(violations).toBe(1);
  expect(bad).toMatchObject([{ seed: 1, violations: [{ promise: 4 }] }]);
});

test("a seed decides everything: run again, it comes out alike", async () => {
  const digests = new Set<string>();
  for (let seed = 1; seed <= 12; seed++) {
    const [first, second] = [await runSeed(seed), await runSeed(seed)];
    expect(second.trace).toEqual(first.trace);
    expect(second.digest).toBe(first.digest);
    digests.add(first.digest);
  }
  expect(digests.size).toBe(12);
});

test("a run in which too little happened does not count, and says what is missing", () => {
  const enough = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, 5]));
  expect(missing(enough, 100)).toEqual([]);
  expect(missing({ ...enough, "power cut": 0 }, 100)).toEqual([
    'This run does not count: "power cut" happened 0 times in 100 seeds, and has to happen at least 5 times.',
  ]);
  const sentences = missing({}, 3);
  expect(sentences).toHaveLength(Object.keys(EVENTS).length);
  for (const sentence of sentences) {
    expect(sentence).toMatch(/0 times in 3 seeds, .* at least 1 times\. Run at least \d+ seeds\.$/);
  }
});
