import {
  type CheckResult,
  type Objection,
  objectionOf,
  type ProofCheck,
  type VerifyPlan,
} from "@ccw-loop/core";
import {
  type Difference,
  differences,
  sameButColours,
  sameButTimes,
  stableOf,
  withoutThoseOf,
} from "./compare.ts";
import { javascriptReplay } from "./javascript/javascript.ts";
import type { Call, Recording, ReplayLanguage } from "./language.ts";
import { pythonReplay } from "./python/python.ts";
import { type Replayer, record, testFilesOf } from "./record.ts";
import { ordinary, type Results, underRunner } from "./repeat.ts";

const LANGUAGES = [javascriptReplay, pythonReplay];
const SAMPLES = 5;

/** The languages of these sources in which calls can be repeated. */
export function languagesOf(sources: readonly string[]): ReplayLanguage[] {
  return LANGUAGES.filter(({ handles }) => sources.some(handles));
}

/**
 * Calls of the changed modules are recorded while the tests run, and repeated by an ordinary program: without a runner, in
 * the whole project, some seconds after its start: in a pipe, in a terminal, and with its clocks put forward. Where it gets what the tests got,
 * nothing more is run. Else a test under the runner repeats the calls as well, for what the tests got may rest on what they
 * did before; what differs from that too behaves differently under test. What gives something else each time, or does so
 * on the start too, is left alone.
 */
export async function replayRun(
  plan: VerifyPlan,
  { language, options, settings }: Pick<Replayer, "language" | "options" | "settings">,
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
  const sources = options.sources.filter((path) => language.handles(path));
  const replayer = {
    ...{ plan, options, settings, language, sources },
    samples: samples.slice(0, SAMPLES),
  };
  const recording = await record(replayer);
  if (recording === null) {
    const reason = "The tests end otherwise while calls of the changed sources are recorded.";
    return ended("not_run", reason);
  }
  if (recording.calls.length === 0)
    return ended("not_run", "The tests call no changed source with plain values.");
  const found = await compared(replayer, recording);
  if (found === null) return ended("not_run", "The recorded calls could not be repeated.");
  const calls = recording.calls.length;
  const { tested, shown, later } = found;
  const differing = tested.length + shown.length + later.length;
  const { unseen } = recording;
  const but = unseen.length === 0 ? "" : ` Not repeated: ${unseen.join("; ")}.`;
  if (differing === 0)
    return ended("held", `${calls} calls gave the same in ordinary use.${but}`, { calls }, unseen);
  const objections = [
    ...objectionTo("replay", tested, {
      places: ["to a test", "in ordinary use"],
      message: "Changed sources behave differently under test",
    }),
    ...objectionTo("terminal", shown, {
      places: ["in a pipe", "in a terminal"],
      message: "Changed sources behave differently in a terminal, where no test looks",
    }),
    ...objectionTo("clock", later, {
      places: ["now", "400 days later"],
      message: "Changed sources behave differently at another time, when no test looks",
    }),
  ];
  const reason = `${differing} of ${calls} calls gave something else in ordinary use.`;
  return ended("failed", reason, { calls, objections });
}

/** Calls that give something else to tests than in ordinary use, in a terminal than in a pipe, and later than now. */
async function compared(
  replayer: Replayer,
  recording: Recording,
): Promise<Record<"tested" | "shown" | "later", Difference[]> | null> {
  const { calls } = recording;
  const present = { replayer, recording, which: "present" as const };
  const [plain, terminal, ahead] = await Promise.all([
    ordinary(present),
    ordinary(present, { terminal: true }),
    ordinary(present, { ahead: true }),
  ]);
  if (plain === null || plain.every((one) => one === null)) return null;
  const gave = calls.map((call) => call.gave);
  const nothing = { tested: [], shown: [], later: [] };
  const suspected = differences(calls, gave, plain);
  const others = [
    { options: { terminal: true }, results: terminal ?? [], same: sameButColours },
    { options: { ahead: true }, results: ahead ?? [], same: sameButTimes },
  ];
  const isOther = others.map(({ results, same }) => differences(calls, plain, results, { same }));
  if ([suspected, ...isOther].every((one) => one.length === 0)) return nothing;

  const again = await ordinary(present);
  if (again === null) return null;
  const stable = stableOf(plain, again);
  const start = { replayer, recording, which: "start" as const };
  const [shown = [], later = []] = await Promise.all(
    others.map(async ({ options, results, same }, n) => {
      if (isOther[n]?.length === 0) return [];
      const found = differences(calls, stable, results, { same });
      return withoutThoseOf(found, await differingAtStart(start, calls, { options, same }));
    }),
  );
  const tested =
    suspected.length === 0 ? [] : await underTest({ present, start, stable, suspected, calls });
  // What could not be repeated under the runner may still be started directly.
  if (tested === null && shown.length + later.length === 0) return null;
  return { tested: tested ?? [], shown, later };
}

type Both = Parameters<typeof ordinary>[0];

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
  const first = new Map(
    withoutThoseOf(found, usual === null ? [] : against(under, usual))
      .toReversed()
      .map((one) => [one.call, one]),
  );
  return [...first.values()].toReversed();
}

/** What the start gives in another way of its own, in the same surroundings. */
async function differingAtStart(
  start: Both,
  calls: Recording["calls"],
  { options, same }: { options: Parameters<typeof ordinary>[1]; same: typeof sameButColours },
): Promise<Difference[]> {
  const [plain, other] = await Promise.all([ordinary(start), ordinary(start, options)]);
  return plain === null || other === null ? [] : differences(calls, plain, other, { same });
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
