import type { Recording } from "./language.ts";
import type { Program, Use } from "./program.ts";
import { keyOf, passWithValues, type Replayer, testFilesOf, withoutProgram } from "./record.ts";
import { repeatInProgram, repeatUnderRunner } from "./repeat.ts";
import {
  type Difference,
  deterministicResults,
  differences,
  excludeKnownDifferences,
  type RepeatOutcome,
  type Results,
  unstableInUse,
} from "./results.ts";
import { type Begun, JUST_STARTED, type OtherUse } from "./uses.ts";

export interface UseDifferences {
  /** Calls that give something else to tests than in ordinary use, … */
  tested: Difference[];
  /** … and in each other kind of use. */
  others: Difference[][];
  /** Modules that an ordinary program cannot load, neither now nor at the start. */
  unloadable: ReadonlySet<string>;
  cut: boolean;
  /** A program that repeats them leaves no results, or not all, although it does with the sources of the start. */
  isLost?: true;
}

/** Repeats recorded calls in all kinds of use, by programs that were begun for that; null where they cannot be repeated. */
export async function compareUses(
  replayer: Replayer,
  recording: Recording,
  begun: Begun,
): Promise<UseDifferences | null> {
  const { calls } = recording;
  const present = { replayer, recording, which: "present" as const };
  const otherUses = begun.others.map(({ about }) => about);
  const repeat = async (use: Use, program: Promise<Program>) =>
    repeatInProgram(present, use, await program);
  const [plain = null, justStarted = null, ...uses] = await allOf([
    repeat({}, begun.plain),
    repeat(JUST_STARTED, begun.justStarted),
    ...begun.others.map(({ about, program }) => repeat(about.use, program)),
  ]);
  const start = startOf({ replayer, recording, which: "start" });
  const lost = async () => ((await start.used({})) === null ? null : LOST);
  if (!plain) return lost();
  if (plain.results.every((one) => one === null)) return null;
  const { cut, unloadable } = plain;
  const expected = { present, start, plain };
  const outcomes = [[JUST_STARTED, justStarted], ...otherUses.map(({ use }, n) => [use, uses[n]])];
  for (const [use, outcome] of outcomes as [Use, RepeatOutcome | null][])
    if (await lacksResults(outcome, { ...expected, use })) return LOST;
  const tests = testFilesOf(replayer.options);
  const gave = calls.map((call) => call.gave && withoutProgram(call.gave, tests));
  const suspectedIn = (outcome: RepeatOutcome | null) =>
    outcome === null ? [] : differences(calls, gave, outcome.results);
  const isOther = otherUses.map(({ same }, n) =>
    differences(calls, plain.results, uses[n]?.results ?? [], { same }),
  );
  if ([suspectedIn(plain), suspectedIn(justStarted), ...isOther].every((one) => one.length === 0))
    return { tested: [], others: [], unloadable, cut };

  const again = await repeatInProgram(present);
  if (again === null) return lost();
  if (await lacksResults(again, { ...expected, use: {} })) return LOST;
  const stable = deterministicResults(plain.results, again.results);
  const others = await allOf(
    otherUses.map(async ({ use, same }, n) => {
      if (isOther[n]?.length === 0) return [];
      const all = differences(calls, stable, uses[n]?.results ?? [], { same });
      const found = await withoutTimeShifted(all, { present, use, same, stable, calls });
      return excludeKnownDifferences(found, await differingAtStart(start, calls, { use, same }));
    }),
  );
  for (const [n, found] of others.entries())
    if (await passAnyway(replayer, { calls, found, outcome: uses[n] ?? null })) others[n] = [];
  const about = { present, start, calls, gave };
  const tested = await differsUnderTest({
    ...{ ...about, use: {}, once: plain, again, suspected: suspectedIn(plain) },
  });
  // What is the same in both has been compared with the tests already.
  const young = suspectedIn(justStarted).filter(
    ({ call, other }) => stable[calls.indexOf(call)] !== other,
  );
  const testedYoung = await differsUnderTest({
    ...{ ...about, use: JUST_STARTED, once: justStarted, suspected: young },
  });
  const found = [...(tested ?? []), ...(testedYoung ?? [])];
  // What could not be repeated under the runner may still be started directly.
  const isUnknown = [tested, testedYoung].includes(null);
  if (isUnknown && [found, ...others].every((one) => one.length === 0)) return null;
  return { tested: found, others, unloadable, cut };
}

/** What all of them give; rejects when each has come to its end. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Whether the tests pass with what the calls give in another use: what differs there, no test asks for. */
async function passAnyway(
  replayer: Replayer,
  about: {
    calls: Recording["calls"];
    found: readonly Difference[];
    outcome: RepeatOutcome | null;
  },
): Promise<boolean> {
  const { calls, found, outcome } = about;
  if (found.length === 0 || outcome === null) return false;
  const wanted = new Set(found.map(({ call }) => keyOf(call)));
  const handed = new Map<string, string>();
  for (const [n, call] of calls.entries()) {
    const key = keyOf(call);
    if (!wanted.has(key)) continue;
    const value = outcome.values[n];
    // One value for all calls that cannot be told apart.
    if (value == null || (handed.get(key) ?? value) !== value) return false;
    handed.set(key, value);
  }
  const first = [...handed].flatMap(([key, value]) => {
    const call = calls.find((one) => keyOf(one) === key);
    return call ? [{ ...call, value }] : [];
  });
  return passWithValues(replayer, first);
}

const LOST: UseDifferences = {
  ...{ tested: [], others: [], unloadable: new Set<string>(), cut: false, isLost: true },
};

type Both = Parameters<typeof repeatInProgram>[0];
type Ordinary = ReturnType<typeof repeatInProgram>;

type Start = ReturnType<typeof startOf>;

/** The start, each use of which is looked at once for all comparisons. */
function startOf(about: Both) {
  const used = new Map<string, Ordinary>();
  return {
    about,
    used(use: Use): Ordinary {
      const name = JSON.stringify(use);
      const found = used.get(name) ?? repeatInProgram(about, use);
      used.set(name, found);
      return found;
    },
  };
}

/** Whether a use leaves no result where the plain one does, each time, although it does with the sources of the start. */
async function lacksResults(
  outcome: RepeatOutcome | null,
  { present, start, plain, use }: { present: Both; start: Start; plain: RepeatOutcome; use: Use },
): Promise<boolean> {
  const lacking = plain.results.flatMap((result, n) =>
    result !== null && (outcome?.results[n] ?? null) === null ? [n] : [],
  );
  if (lacking.length === 0) return false;
  const before = await start.used(use);
  const suspected = lacking.filter((n) => (before?.results[n] ?? null) !== null);
  if (suspected.length === 0) return false;
  const again = await repeatInProgram(present, use);
  return suspected.some((n) => (again?.results[n] ?? null) === null);
}

type Like = Pick<OtherUse, "same">;

/**
 * What a test under the runner gets otherwise than an ordinary program, and did not at the start; null where no test could
 * repeat all calls that are suspected.
 */
async function differsUnderTest(about: {
  present: Both;
  start: Start;
  use: Use;
  suspected: readonly Difference[];
  calls: Recording["calls"];
  gave: Results;
  once: RepeatOutcome | null;
  again?: RepeatOutcome;
}): Promise<Difference[] | null> {
  const { calls, suspected, gave, use, start, once } = about;
  if (suspected.length === 0) return [];
  const again = about.again ?? (await repeatInProgram(about.present, use));
  if (once === null || again === null) return null;
  const against = (under: readonly Results[], usual: Results) =>
    under.flatMap((results) => differences(calls, results, usual));
  const repeated = await repeatUnderRunner(about.present, use);
  const stable = deterministicResults(once.results, again.results);
  const isRepeated = ({ call }: Difference) => {
    const n = calls.indexOf(call);
    return stable[n] == null || repeated.some((results) => results[n] != null);
  };
  const found = [
    ...against(repeated, stable),
    ...unstableInUse(calls, { gave, under: repeated, once: once.results, again: again.results }),
  ];
  if (found.length === 0) return suspected.every(isRepeated) ? [] : null;
  const [under, usual] = [await repeatUnderRunner(start.about, use), await start.used(use)];
  const known = usual === null ? [] : against(under, usual.results);
  const first = new Map(
    excludeKnownDifferences(found, known)
      .filter(({ call }) => !usual?.unloadable.has(call.module))
      .toReversed()
      .map((one) => [one.call, one]),
  );
  return [...first.values()].toReversed();
}

/** Without what differs only because a point in time in its arguments is nearer: with that put forward as well, it does not. */
async function withoutTimeShifted(
  found: readonly Difference[],
  about: { present: Both; use: Use; stable: Results; calls: Recording["calls"] } & Like,
): Promise<readonly Difference[]> {
  const { present, use, same, stable, calls } = about;
  if (use.ahead === undefined || found.length === 0) return found;
  const shifted = await repeatInProgram(present, { ...use, shifted: true });
  const left = differences(calls, stable, shifted?.results ?? stable, { same });
  const differing = new Set(left.map(({ call }) => call));
  return shifted === null ? found : found.filter(({ call }) => differing.has(call));
}

/** What the start gives in another way of its own, in the same surroundings. */
async function differingAtStart(
  start: Start,
  calls: Recording["calls"],
  { use, same }: { use: Use } & Like,
): Promise<Difference[]> {
  const [plain, other] = await Promise.all([start.used({}), start.used(use)]);
  return plain === null || other === null
    ? []
    : differences(calls, plain.results, other.results, { same });
}
