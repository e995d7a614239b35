import { seededRandom } from "../../packages/testkit/src/faults/random.ts";

/** Numbers that look random and are the same again for the same seed. */
export interface Random {
  /** At least `from`, below `to`. */
  between(from: number, to: number): number;
  /** A whole number from 0 on, below `count`. */
  below(count: number): number;
  pick<T>(from: readonly T[]): T;
  /** A further one that depends on this one's past, for whoever works side by side. */
  fork(): Random;
}

export function random(seed: number): Random {
  const dice = seededRandom(seed);
  const below = (count: number) => dice.int(0, count - 1);
  return {
    between: (from, to) => from + dice.next() * (to - from),
    below,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError("There is nothing to pick from.");
      return from[below(from.length)] as T;
    },
    fork: () => random(below(2 ** 31)),
  };
}
