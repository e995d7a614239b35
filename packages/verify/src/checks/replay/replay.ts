import {
  type CheckResult,
  type Objection,
  objectionOf,
  type ProofCheck,
  type VerifyPlan,
} from "@ccw-loop/core";
import { AHEAD_MS, someTimeAhead } from "./clock.ts";
import {
  type Difference,
  differences,
  sameButColours,
  sameButTimes,
  stableOf,
  withoutThoseOf,
} from "./compare.ts";
import type { Call, Recording } from "./language.ts";
import { canRecordStart, type Replayer, record, testFilesOf, unloadableAtStart } from "./record.ts";
import { withoutProgram } from "./recorder-files.ts";
import { ordinary, type Use, underRunner } from "./repeat.ts";
import type { Results } from "./results.ts";

const SAMPLES = 5;

/** Kinds of ordinary use that are compared with the first one, a program in a pipe that has been running for a while. */
const USES: readonly {
  use: () => Use;
  kind: string;
  same?: ((a: string, b: string) => boolean) | undefined;
  places: [here: string, there: string];
  message: string;
}[] = [
  {
    ...{ use: () => ({ terminal: true }), kind: "terminal", same: sameButColours },
    places: ["in a pipe", "in a terminal"],
    message: "Changed sources behave differently in a terminal, where no test looks",
  },
  ...[() => AHEAD_MS, someTimeAhead].map((ahead) => ({
    ...{ use: () => ({ ahead: ahead() }), kind: "clock", same: sameButTimes },
    places: ["now", "later"] as [string, string],
    message: "Changed sources behave differently at another time, when no test looks",
  })),
  {
    ...{ use: () => ({ young: true }), kind: "replay" },
    places: ["after a while", "in a program that has just started"],
    message: "Changed sources behave differently in a program that has just started",
  },
];

/**
 * Calls of the changed modules are recorded while the tests run, and repeated by ordinary programs: without a runner, in
 * the whole project, some seconds after the start and at once, in a pipe, in a terminal, and with clocks put forward. Where these get what the tests got,
 * nothing more is run. Else a test under the runner repeats the calls as well, for what the tests got may rest on what they
 * did before; what differs from that too behaves differently under test. What gives something else each time, or does so
 * on the start too, is left alone.
 */
export async function replayRun(
  plan: VerifyPlan,
  {
    language,
    options,
    settings,
    used,
    isAlone,
  }: Pick<Replayer, "language" | "options" | "settings"> & {
    /** Modules that the tests load. */
    used: readonly string[];
    /** Whether the tests cannot be started directly. */
    isAlone: boolean;
  },
): Promise<CheckResult & { unseen: readonly string[] }> {
  const began = performance.now();
  const ended = (
    result: ProofCheck["result"],
    reason: string,
    { calls = 0, objections = [] as Objection[] } = {},
    unseen = [] as readonly string[],
  ) => {
    const duration_ms = Math.round(performance.now() - began);
    return {
      check: { kind: "replay" as const, result, reason, looked_at: calls, duration_ms },
      objections,
      unseen,
    };
  };
  const samples = testFilesOf(options).filter(language.handles);
  if (samples.length === 0)
    return ended("not_run", "No test that passes is in the language of the changed sources.");
  const changed = options.sources.filter((path) => language.handles(path));
  // Changed ones may also change what another module gives.
  const sources = [...new Set([...changed, ...used.filter((path) => language.handles(path))])];
  const replayer = {
    ...{ plan, options, settings, language, sources },
    samples: samples.slice(0, SAMPLES),
  };
  const recording = await record(replayer);
  if (recording === null) {
    const reason = "The tests end otherwise while calls of the changed sources are recorded.";
    if (!isAlone || !(await canRecordStart(replayer))) return ended("not_run", reason);
    const message =
      "Tests fail while calls of the changed sources are recorded, and at the start they did not";
    return ended("failed", reason, { objections: [objectionOf("replay", samples, message)] });
  }
  const unloadable = await nowUnloadable(replayer, recording);
  if (unloadable.length > 0) {
    const reason = `${unloadable.length} changed sources can be loaded by tests alone.`;
    const message = "Changed sources cannot be loaded outside of their tests any more";
    return ended("failed", reason, { objections: [objectionOf("replay", unloadable, message)] });
  }
  if (recording.calls.length === 0)
    return ended("not_run", "The tests call no changed source with plain values.");
  const found = await compared(replayer, recording);
  if (found === null) return ended("not_run", "The recorded calls could not be repeated.");
  const calls = recording.calls.length;
  const { tested, others } = found;
  const differing = [tested, ...others].reduce((sum, { length }) => sum + length, 0);
  const unseen = [
    ...recording.unseen,
    ...[...recording.unloadable.keys()].map(
      (path) => `${path}, which an ordinary program cannot load`,
    ),
    ...(found.cut ? ["calls behind those that end the program"] : []),
  ];
  const but = unseen.length === 0 ? "" : ` Not repeated: ${unseen.join("; ")}.`;
  if (differing === 0)
    return ended("held", `${calls} calls gave the same in ordinary use.${but}`, { calls }, unseen);
  const objections = [
    ...objectionTo("replay", tested, {
      places: ["to a test", "in ordinary use"],
      message: "Changed sources behave differently under test",
    }),
    ...USES.flatMap(({ kind, ...about }, n) => {
      // One moment is enough.
      const isTold = USES.slice(0, n).some(
        (one, before) => one.kind === kind && others[before]?.length,
      );
      return isTold ? [] : objectionTo(kind, others[n] ?? [], about);
    }),
  ];
  const reason = `${differing} of ${calls} calls gave something else in ordinary use.`;
  return ended("failed", reason, { calls, objections });
}

/** Modules that tests load and an ordinary program cannot, although it could at the start; each with the reason. */
async function nowUnloadable(replayer: Replayer, { unloadable }: Recording): Promise<string[]> {
  if (unloadable.size === 0) return [];
  const before = await unloadableAtStart(replayer, [...unloadable.keys()]);
  return [...unloadable]
    .filter(([path]) => !before.has(path))
    .map(([path, why]) => `${path} (${why})`);
}

interface Found {
  /** Calls that give something else to tests than in ordinary use, … */
  tested: Difference[];
  /** … and in each other kind of use. */
  others: Difference[][];
  cut: boolean;
}

async function compared(replayer: Replayer, recording: Recording): Promise<Found | null> {
  const { calls } = recording;
  const present = { replayer, recording, which: "present" as const };
  const asUsed = USES.map(({ use }) => use());
  const [plain, ...uses] = await Promise.all([
    ordinary(present),
    ...asUsed.map((use) => ordinary(present, use)),
  ]);
  if (!plain || plain.results.every((one) => one === null)) return null;
  const { cut } = plain;
  const tests = testFilesOf(replayer.options);
  const gave = calls.map((call) => call.gave && withoutProgram(call.gave, tests));
  const suspected = differences(calls, gave, plain.results);
  const isOther = USES.map(({ same }, n) =>
    differences(calls, plain.results, uses[n]?.results ?? [], { same }),
  );
  if ([suspected, ...isOther].every((one) => one.length === 0))
    return { tested: [], others: [], cut };

  const again = await ordinary(present);
  if (again === null) return null;
  const stable = stableOf(plain.results, again.results);
  const start = { replayer, recording, which: "start" as const };
  const others = await Promise.all(
    USES.map(async ({ same }, n) => {
      if (isOther[n]?.length === 0) return [];
      const use = asUsed[n] ?? {};
      const all = differences(calls, stable, uses[n]?.results ?? [], { same });
      const found = await alsoShifted(all, { present, use, same, stable, calls });
      return withoutThoseOf(found, await differingAtStart(start, calls, { use, same }));
    }),
  );
  const tested =
    suspected.length === 0 ? [] : await underTest({ present, start, stable, suspected, calls });
  // What could not be repeated under the runner may still be started directly.
  if (tested === null && others.every((one) => one.length === 0)) return null;
  return { tested: tested ?? [], others, cut };
}

type Both = Parameters<typeof ordinary>[0];
type Like = Pick<(typeof USES)[number], "same">;

/**
 * What a test under the runner gets otherwise than an ordinary program, and did not at the start; null where no test could
 * repeat all calls that are suspected.
 */
async function underTest(about: {
  present: Both;
  start: Both;
  stable: Results;
  suspected: readonly Difference[];
  calls: Recording["calls"];
}): Promise<Difference[] | null> {
  const { calls, stable, suspected } = about;
  const against = (under: readonly Results[], usual: Results) =>
    under.flatMap((results) => differences(calls, results, usual));
  const repeated = await underRunner(about.present);
  const isRepeated = ({ call }: Difference) => {
    const n = calls.indexOf(call);
    return stable[n] == null || repeated.some((results) => results[n] != null);
  };
  const found = against(repeated, stable);
  if (found.length === 0) return suspected.every(isRepeated) ? [] : null;
  const [under, usual] = [await underRunner(about.start), await ordinary(about.start)];
  const known = usual === null ? [] : against(under, usual.results);
  const first = new Map(
    withoutThoseOf(found, known)
      .filter(({ call }) => !usual?.unloadable.has(call.module))
      .toReversed()
      .map((one) => [one.call, one]),
  );
  return [...first.values()].toReversed();
}

/** Without what differs only because a point in time in its arguments is nearer: with that put forward as well, it does not. */
async function alsoShifted(
  found: readonly Difference[],
  about: { present: Both; use: Use; stable: Results; calls: Recording["calls"] } & Like,
): Promise<readonly Difference[]> {
  const { present, use, same, stable, calls } = about;
  if (use.ahead === undefined || found.length === 0) return found;
  const shifted = await ordinary(present, { ...use, shifted: true });
  const left = differences(calls, stable, shifted?.results ?? stable, { same });
  const differing = new Set(left.map(({ call }) => call));
  return shifted === null ? found : found.filter(({ call }) => differing.has(call));
}

/** What the start gives in another way of its own, in the same surroundings. */
async function differingAtStart(
  start: Both,
  calls: Recording["calls"],
  { use, same }: { use: Use } & Like,
): Promise<Difference[]> {
  const [plain, other] = await Promise.all([ordinary(start), ordinary(start, use)]);
  return plain === null || other === null
    ? []
    : differences(calls, plain.results, other.results, { same });
}

function usedAs({ name, module, kind, args }: Call): string {
  const isRead = kind === "value" || kind === "get";
  return `${name || module}${isRead ? "" : `(${args.slice(1, -1)})`}`;
}

function objectionTo(
  kind: string,
  found: readonly Difference[],
  { places: [here, there], message }: { places: [string, string]; message: string },
): Objection[] {
  if (found.length === 0) return [];
  const names = found.map(
    ({ call, one, other }) => `${usedAs(call)} gave ${one} ${here} and ${other} ${there}`,
  );
  return [objectionOf(kind, names, message)];
}
