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

/**
 * The differences that go beyond those of the same functions in `others`: a function whose greeting differs there may
 * differ in its greeting, and not in its price.
 */
export function withoutThoseOf(
  found: readonly Difference[],
  others: readonly Difference[],
): Difference[] {
  const nameOf = ({ call }: Difference) => `${call.module} ${call.name}`;
  const known = Map.groupBy(others, nameOf);
  return found.filter((one) => {
    const parts = partsThatDiffer(one);
    const like = (known.get(nameOf(one)) ?? []).map(partsThatDiffer);
    return !like.some((other) => covers(other, parts));
  });
}

/** The places of words, numbers and signs in a result, and of those that differ. */
interface Parts {
  all: number;
  differing: ReadonlySet<number>;
}

/** Null where the results have not as many of them, so that nothing can be said of one. */
function partsThatDiffer({ one, other }: Difference): Parts | null {
  const [a, b] = [one, other].map((text) => text.match(/[\p{L}\p{N}_.]+|[^\p{L}\p{N}_.]+/gu) ?? []);
  if (a === undefined || b === undefined || a.length !== b.length) return null;
  const differing = a.flatMap((part, n) => (part === b[n] ? [] : [n]));
  return { all: a.length, differing: new Set(differing) };
}

function covers(known: Parts | null, found: Parts | null): boolean {
  if (known === null || found === null || known.all !== found.all) return true;
  return [...found.differing].every((part) => known.differing.has(part));
}

/** The results without those of calls that give something else each time. */
export function stableOf(once: Results, again: Results): Results {
  return once.map((result, n) => (result === again[n] ? result : null));
}
