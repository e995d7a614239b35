import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CheckResult, type Objection, objectionOf } from "@ccw-loop/core";
import { isTestFile, textsOf } from "@ccw-loop/test-runner/project-files";
import { beginCheck } from "../check-parts.ts";
import { compareUses } from "./compare-uses.ts";
import { javascriptReplay } from "./javascript/javascript.ts";
import type { Call, Recording, ReplayLanguage } from "./language.ts";
import { pythonReplay } from "./python/python.ts";
import {
  canRecordStart,
  fromRoom,
  isInRoom,
  type Replayer,
  record,
  replacedAtStart,
  testFilesOf,
  unloadableAtStart,
} from "./record.ts";
import type { Difference } from "./results.ts";
import { type Begun, beginUses, endUses } from "./uses.ts";

const SAMPLES = 5;

/** With the time zone that the tests were started with, as in `TZ`; null where that is not known, or none. */
type ReplayResult = CheckResult & Pick<Recording, "zone">;

/**
 * Calls of the changed modules are recorded while the tests run, and repeated by ordinary programs: without a runner, in
 * the whole project, some seconds after the start and at once, in a pipe, in a terminal, and with clocks put forward. Where these get what the tests got,
 * nothing more is run. Else a test under the runner repeats the calls as well, for what the tests got may rest on what they
 * did before; what differs from that too behaves differently under test. What gives something else each time, or does so
 * on the start too, is left alone.
 */
export async function replayRun(
  about: Omit<Replayer, "sources" | "samples">,
  /** Modules that the tests load. */
  used: readonly string[],
  /** Other runs of the tests are made until then: this one is made beside them, out of their reach. */
  until?: Promise<unknown>,
): Promise<ReplayResult> {
  const { language, options } = about;
  const ended = beginCheck("replay");
  const samples = testFilesOf(options).filter(language.handles);
  if (samples.length === 0)
    return {
      ...ended("not_run", "No test that passes is in the language of the changed sources."),
      zone: null,
    };
  const changed = options.sources.filter(language.handles);
  // Changed ones may also change what another module gives.
  const all = [...new Set([...changed, ...used.filter(language.handles)])];
  const first = { ...about, samples: samples.slice(0, SAMPLES), sources: all };
  const second =
    changed.length > 0 && changed.length < all.length ? [{ ...first, sources: changed }] : [];
  const begun = beginUses(first);
  try {
    const recorded = await firstRecording([first, ...second], until);
    const { recording } = recorded;
    const result = await judgeRecording(recorded, { ended, begun });
    return { ...result, zone: typeof recording === "string" ? null : recording.zone };
  } finally {
    await endUses(begun);
  }
}

async function judgeRecording(
  { replayer, recording, replaced }: Awaited<ReturnType<typeof firstRecording>>,
  { ended, begun }: { ended: ReturnType<typeof beginCheck>; begun: Begun },
): Promise<CheckResult> {
  const { samples } = replayer;
  const newly = replaced.length === 0 ? [] : await newlyReplaced(replayer, replaced);
  if (newly.length > 0) {
    const message =
      "Changed sources replace functions of the runtime or of other sources, or data of the tests, by which tests judge";
    return ended("failed", `${message}.`, newly.length, [objectionOf("replay", newly, message)]);
  }
  if (typeof recording === "string") {
    if (!(await canRecordStart(replayer))) return ended("not_run", `${recording}.`);
    const message = `${recording}, and that is not so at the start`;
    return ended("failed", `${recording}.`, 0, [objectionOf("replay", samples, message)]);
  }
  const unloadable = await nowUnloadable(replayer, recording);
  if (unloadable.length > 0) {
    const reason = `${unloadable.length} changed sources can be loaded only by the tests.`;
    const message = "Changed sources cannot be loaded outside of their tests any more";
    return ended("failed", reason, 0, [objectionOf("replay", unloadable, message)]);
  }
  if (recording.calls.length === 0)
    return ended("not_run", "No call of a changed source has arguments that can be repeated.");
  const found = await compareUses(replayer, recording, begun);
  const lost = "The recorded calls could not be repeated";
  if (found === null) return ended("not_run", `${lost}.`);
  if (found.isLost) {
    const message = `${lost}, and with the sources of the start they can`;
    return ended("failed", `${lost}.`, 0, [objectionOf("replay", samples, message)]);
  }
  const { tested, others, unloadable: unloaded } = found;
  const calls = recording.calls.filter(({ module }) => !unloaded.has(module)).length;
  const differing = new Set([tested, ...others].flat().map(({ call }) => call)).size;
  const unseen = [
    ...recording.unseen,
    ...[...new Set([...recording.unloadable.keys(), ...unloaded])].map(
      (path) => `${path}, which an ordinary program cannot load`,
    ),
    ...(found.cut ? ["calls behind those that end the program"] : []),
  ];
  const but = unseen.length === 0 ? "" : ` Not repeated: ${unseen.join("; ")}.`;
  if (calls === 0) return ended("not_run", `No call could be repeated.${but}`);
  if (differing === 0) {
    const reason = `${calls} calls gave the same in ordinary use.${but}`;
    return ended("held", reason, calls);
  }
  const objections = [
    ...objectionTo("replay", tested, {
      places: ["to a test", "in ordinary use"],
      message: "Changed sources behave differently under test",
    }),
    ...begun.others.flatMap(({ about: { kind, ...about } }, n) => {
      // Report each kind of use once.
      const alreadyReported = begun.others
        .slice(0, n)
        .some((one, before) => one.about.kind === kind && others[before]?.length);
      return alreadyReported ? [] : objectionTo(kind, others[n] ?? [], about);
    }),
  ];
  const reason = `${differing} of ${calls} calls gave something else in ordinary use.`;
  return ended("failed", reason, calls, objections);
}

/**
 * The first of the recordings that can be made. Tests may ask whether a function is the very one that its module has, and
 * recording gives them another; of modules that nobody changed that is no loss. One that is made beside other runs of the tests counts
 * only where they pass in it.
 */
async function firstRecording(
  replayers: readonly [Replayer, ...Replayer[]],
  until: Promise<unknown> | undefined,
): Promise<{ replayer: Replayer } & Awaited<ReturnType<typeof record>>> {
  if (until !== undefined) {
    const [replayer] = replayers;
    const settings = { ...replayer.settings, ownNetwork: true };
    const beside = await record({ ...replayer, settings });
    await until;
    if (typeof beside.recording !== "string") return { replayer, ...beside };
  }
  const replaced: string[] = [];
  let reason = "";
  for (const [n, replayer] of replayers.entries()) {
    const found = await record(replayer);
    replaced.push(...found.replaced);
    const { recording } = found;
    if (typeof recording === "string") {
      reason = recording;
      continue;
    }
    if (n > 0) recording.unseen.push("modules that tests load and nobody changed");
    return { replayer, recording, replaced };
  }
  return { replayer: replayers[0], recording: reason, replaced };
}

async function newlyReplaced(replayer: Replayer, replaced: readonly string[]): Promise<string[]> {
  const before = await replacedAtStart(replayer);
  const newly = [...new Set(replaced)].filter((name) => !before.includes(name));
  const [files, functions] = [newly.filter(isInRoom), newly.filter((name) => !isInRoom(name))];
  const judging = await replayer.options.judging(files.map(fromRoom));
  return [...functions, ...judging];
}

/** Modules that tests load and an ordinary program cannot, although it could at the start; each with the reason. */
async function nowUnloadable(replayer: Replayer, { unloadable }: Recording): Promise<string[]> {
  if (unloadable.size === 0) return [];
  const before = await unloadableAtStart(replayer, [...unloadable.keys()]);
  return [...unloadable]
    .filter(([path]) => !before.has(path))
    .map(([path, why]) => `${path} (${why})`);
}

function describeCall({ name, module, kind, args }: Call): string {
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
    ({ call, one, other }) => `${describeCall(call)} gave ${one} ${here} and ${other} ${there}`,
  );
  return [objectionOf(kind, names, message)];
}

const LANGUAGES = [javascriptReplay, pythonReplay];

/** The languages of these sources in which calls can be repeated. */
export function languagesOf(sources: readonly string[]): ReplayLanguage[] {
  return LANGUAGES.filter(({ handles }) => sources.some(handles));
}

/** Modules of the project that the tests load, but for other tests. */
export function modulesUsed(tests: readonly string[], cwd: string): string[] {
  const found = new Set<string>();
  for (const [test, text] of textsOf(tests, cwd)) {
    const language = LANGUAGES.find(({ handles }) => handles(test));
    for (const places of language?.loadedBy(test, text) ?? []) {
      const isModule = (path: string) => language?.handles(path) && existsSync(join(cwd, path));
      const path = places.find(isModule);
      if (path !== undefined && !path.startsWith("..") && !isTestFile(path)) found.add(path);
    }
  }
  return [...found];
}
