import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Chance that comes out alike for the same seed. */
export interface Random {
  /** From 0 up to, not with, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** True in `share` (0 to 1) of all calls. */
  chance(share: number): boolean;
  pick<T>(among: readonly [T, ...T[]]): T;
  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
}

export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const next = () => uniformFloat64(generator);
  return {
    next,
    int: (least, most) => uniformInt(generator, least, most),
    chance: (share) => share > 0 && next() < share,
    pick: (among) => among[Math.floor(next() * among.length)] ?? among[0],
    weighted(weights) {
      const all = Object.keys(weights) as (keyof typeof weights)[];
      let left = next() * all.reduce((sum, name) => sum + weights[name], 0);
      for (const name of all) {
        left -= weights[name];
        if (left < 0) return name;
      }
      throw new RangeError("A choice needs a weight above zero.");
    },
  };
}
