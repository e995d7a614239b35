import fc from "fast-check";
import { expect, test } from "vitest";
import { limitsOf } from "../src/index.ts";
import { play, type Script } from "./scripted-loop.ts";

const behaviour = fc.record({
  trees: fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
  growing: fc.boolean(),
  failedDevelop: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
  runs: fc.array(fc.option(fc.array(fc.nat(5), { maxLength: 4 })), { minLength: 1, maxLength: 8 }),
  newNames: fc.boolean(),
  debugs: fc.array(
    fc.record({
      decided: fc.nat(3),
      fixes: fc.nat(12),
      failed: fc.constantFrom(false, false, true),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  tasks: fc.integer({ min: 1, max: 20 }),
  max_stalled: fc.integer({ min: 1, max: 15 }),
});
type Behaviour = typeof behaviour extends fc.Arbitrary<infer T> ? T : never;

/** Repeats what was drawn for ever: every circle of bounded length, and everything that grows without end. */
function scriptOf(b: Behaviour): Script {
  const at = <T>(list: readonly T[], n: number) => list[n % list.length] as T;
  return {
    tasks: b.tasks,
    limits: { max_stalled: b.max_stalled },
    develop: (n) => ({
      tree: b.growing ? `tree-${n}` : `tree-${at(b.trees, n)}`,
      ...(at(b.failedDevelop, n) ? { failed: true as const } : {}),
    }),
    validate: (n) => {
      const run = at(b.runs, n);
      return run && Object.fromEntries(run.map((t) => [b.newNames ? `t${n}-${t}` : `t${t}`, "no"]));
    },
    debug: (n) => {
      const { failed, ...found } = at(b.debugs, n);
      return failed ? { failed: true } : found;
    },
  };
}

test("whatever an agent does, a loop ends or asks, within a bound that its own numbers give", () => {
  fc.assert(
    fc.property(behaviour, (b) => {
      const { state, iterations } = play(scriptOf(b), 20_000);
      expect(state.status !== "running" || state.waiting?.kind === "no_progress").toBe(true);
      const { stalled, idle } = state.stall ?? { stalled: 0, idle: 0 };
      expect(idle).toBeLessThanOrEqual(stalled);
      expect(stalled).toBeLessThanOrEqual(limitsOf(state).max_stalled);
      // Each task and each test less is an advance; each is followed by a stall with its sidesteps at most.
      const advances = b.tasks + 5;
      const counted = b.max_stalled * 4 + 1;
      expect(iterations).toBeLessThanOrEqual(advances * counted * 12);
    }),
    { numRuns: 300 },
  );
});
