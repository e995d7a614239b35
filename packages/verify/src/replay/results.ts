import { tryParseJson } from "@ccw-loop/core";
import type { Call } from "./language.ts";

/** What each call gave, in their order; null where that cannot be compared. */
export type Results = readonly (string | null)[];

/** What became of calls that were repeated. */
export interface RepeatOutcome {
  results: (string | null)[];
  /** The same as text from which the language makes it again; null where that cannot be. */
  values: (string | null)[];
  /** Modules that could not be loaded. */
  unloadable: Set<string>;
  /** Calls and modules that ended the program. */
  ended: { calls: number[]; modules: string[] };
}

/** Of a call, and of the loading of a module. */
export const ENDED = "the program ended";

export function emptyOutcome(calls: number): RepeatOutcome {
  return {
    results: Array.from({ length: calls }, () => null),
    values: Array.from({ length: calls }, () => null),
    unloadable: new Set(),
    ended: { calls: [], modules: [] },
  };
}

/**
 * Adds what a program wrote (see `ReplayLanguage.program`); a call or a module that was begun and did not come to its end
 * ended it. `whole` says whether the program came to its own end.
 */
export function addLines(
  repeated: RepeatOutcome,
  text: string,
  modules: readonly string[],
): { whole: boolean } {
  const { results, values, unloadable, ended } = repeated;
  const failed = (module: string, why: string) => {
    unloadable.add(module);
    for (const [n, one] of modules.entries()) {
      if (one === module) results[n] = `could not be loaded: ${why}`;
    }
  };
  let [call, module, whole]: [number?, string?, boolean?] = [];
  // The last line may not have been written to its end.
  const lines = text.split("\n").map(tryParseJson).filter(Array.isArray);
  for (const [word, about, told, value] of lines) {
    if (word === "load") module = about;
    if (word === "loaded" || word === "failed") module = undefined;
    if (word === "failed") failed(about, told);
    if (word === "call") call = about;
    if (word === "gave") [call, results[about], values[about]] = [undefined, told, value ?? null];
    if (word === "end") whole = true;
  }
  if (call !== undefined) {
    results[call] = ENDED;
    ended.calls.push(call);
  }
  if (module !== undefined) {
    failed(module, ENDED);
    ended.modules.push(module);
  }
  return { whole: whole === true };
}

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

/** A point in time as text or as a number. */
const TIME =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b(?:1[6-9]|2)\d{8}(?:\d{3})?(?:\.\d+)?\b/g;

/** Of a result that is about now, only a point in time may differ so many milliseconds later, or the number of its year. */
export function sameButTimes(ms: number): (a: string, b: string) => boolean {
  const [now, later] = [0, ms].map((after) => `${new Date(Date.now() + after).getFullYear()}`);
  return (a, b) => {
    const [one, other] = [a, b].map((text) => partsOf(text.replaceAll(TIME, "")));
    if (one?.length !== other?.length) return false;
    return (
      one?.every((part, n) => part === other?.[n] || (part === now && other?.[n] === later)) ===
      true
    );
  };
}

/** Words and numbers, and what stands between them. */
function partsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_.]+|[^\p{L}\p{N}_.]+/gu) ?? [];
}

/**
 * The differences that go beyond those of the same functions in `others`: a function whose greeting differs there may
 * differ in its greeting, and not in its price.
 */
export function excludeKnownDifferences(
  found: readonly Difference[],
  others: readonly Difference[],
): Difference[] {
  const nameOf = ({ call }: Difference) => `${call.module} ${call.name}`;
  const known = Map.groupBy(others, nameOf);
  return found.filter((one) => {
    const parts = partsThatDiffer(one);
    const like = (known.get(nameOf(one)) ?? []).map(partsThatDiffer);
    return !like.some((other) => isSubsetOf(parts, other));
  });
}

/** The places of words, numbers and signs in a result, and of those that differ. */
interface Parts {
  all: number;
  differing: ReadonlySet<number>;
}

/** Null where the results have not as many of them, so that nothing can be said of one. */
function partsThatDiffer({ one, other }: Difference): Parts | null {
  const [a, b] = [one, other].map(partsOf);
  if (a === undefined || b === undefined || a.length !== b.length) return null;
  const differing = a.flatMap((part, n) => (part === b[n] ? [] : [n]));
  return { all: a.length, differing: new Set(differing) };
}

function isSubsetOf(found: Parts | null, known: Parts | null): boolean {
  if (known === null || found === null || known.all !== found.all) return true;
  return [...found.differing].every((part) => known.differing.has(part));
}

/** The results without those of calls that give something else each time. */
export function deterministicResults(once: Results, again: Results): Results {
  return once.map((result, n) => (result === again[n] ? result : null));
}

/** Calls that give the same to a test each time, and something else each time in ordinary use. */
export function unstableInUse(
  calls: readonly Call[],
  {
    gave,
    under,
    once,
    again,
  }: Record<"gave" | "once" | "again", Results> & { under: readonly Results[] },
): Difference[] {
  return calls.flatMap((call, n) => {
    const [tested, one, other] = [gave[n], once[n], again[n]];
    const isSteady = under.length > 0 && under.every((results) => results[n] === tested);
    return tested != null && isSteady && one != null && other != null && one !== other
      ? [{ call, one: tested, other: one === tested ? other : one }]
      : [];
  });
}
