import type { Call } from "./language.ts";
import type { Results } from "./results.ts";

/** A call that gave one thing here and another there. */
export interface Difference {
  call: Call;
  one: string;
  other: string;
}

/** Calls whose results differ; one that is missing on either side does not. */
export function differences(
  calls: readonly Call[],
  one: Results,
  other: Results,
  { same = (a, b) => a === b }: { same?: ((a: string, b: string) => boolean) | undefined } = {},
): Difference[] {
  return calls.flatMap((call, n) => {
    const [a, b] = [one[n], other[n]];
    return a == null || b == null || same(a, b) ? [] : [{ call, one: a, other: b }];
  });
}

/** What programs put into text for a terminal alone: equal without its colours is equal. */
export function sameButColours(a: string, b: string): boolean {
  const bare = (text: string) => text.replaceAll(/(?:\\u001[bB]|\\x1b|\\033)\[[\d;]*m/g, "");
  return bare(a) === bare(b);
}

/** A point in time as text or as a number: of a result that is about now, only that may differ from later. */
const TIME =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b(?:1[6-9]|2)\d{8}(?:\d{3})?(?:\.\d+)?\b|\b20\d\d\b/g;

export function sameButTimes(a: string, b: string): boolean {
  return a.replaceAll(TIME, "") === b.replaceAll(TIME, "");
}

/** The differences of functions that show none in `others`. */
export function withoutThoseOf(
  found: readonly Difference[],
  others: readonly Difference[],
): Difference[] {
  const known = new Set(others.map(({ call }) => `${call.module} ${call.name}`));
  return found.filter(({ call }) => !known.has(`${call.module} ${call.name}`));
}

/** The results without those of calls that give something else each time. */
export function stableOf(once: Results, again: Results): Results {
  return once.map((result, n) => (result === again[n] ? result : null));
}
