import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  testStates,
  tryParseJson,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunSettings, runPlanIn } from "@ccw-loop/test-runner";
import { probe } from "@ccw-loop/test-runner/process";
import { textsOf } from "@ccw-loop/test-runner/project-files";
import type { Call, Handed, Recording, ReplayLanguage } from "./language.ts";

/** So many calls are repeated, of one function and of all: a function that is called often must not hide another one. */
const CALLS_OF_ONE = 1000;
const CALLS = 5000;
const SOURCES = 1000;
const EXPORTS_MS = 30_000;
/** A program that a module ends is started again for the others. */
const MAX_STARTS = 5;

export interface Replayer {
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
  language: ReplayLanguage;
  sources: readonly string[];
  /** Test files that repeat the calls in the place of their own tests: what looks at the name of the running file sees theirs. */
  samples: readonly string[];
}

/** Why calls could not be recorded. */
const TESTS_FAIL = "Tests fail while calls of the changed sources are recorded";
const NOT_STARTED = "No program of ours that loads the changed sources can be started";

/**
 * The calls of one test run; or, as a clause, why there are none: it does not end as without the recording, or no program of
 * ours can be started. In any case the functions of the runtime that sources replaced in it.
 */
export async function record(
  replayer: Replayer,
): Promise<{ recording: Recording | string; replaced: string[] }> {
  const { options, sources } = replayer;
  const { states, log, failed, started } = await recordedRun(replayer, "present");
  const { loaded, replaced, ...recording } = readLog(log);
  const isSame = options.green.every(({ id }) => states[id] === "passed");
  if (!isSame || !started) return { recording: isSame ? NOT_STARTED : TESTS_FAIL, replaced };
  if (sources.length > SOURCES) recording.unseen.push("more sources than are recorded");
  const unloadable = [...failed].filter(([path]) => loaded.has(path));
  return { recording: { ...recording, unloadable: new Map(unloadable) }, replaced };
}

/** Functions of the runtime that the sources of the start replace in the same run. */
export async function replacedAtStart(replayer: Replayer): Promise<string[]> {
  const { log } = await recordedRun(replayer, "start");
  return readLog(log).replaced;
}

/** Whether calls can be recorded with the sources of the start. */
export async function canRecordStart(replayer: Replayer): Promise<boolean> {
  const { plan, options, settings } = replayer;
  const { tests } = await runPlanIn(await options.room("start"), plan, options, settings);
  const { states, started } = await recordedRun(replayer, "start");
  if (!started) return false;
  const green = Object.entries(testStates(tests)).filter(([, status]) => status === "passed");
  return green.length > 0 && green.every(([id]) => states[id] === "passed");
}

/**
 * Whether the tests pass as well where they are handed other values in the place of what calls gave, and each of these calls
 * was made.
 */
export async function passWithValues(
  replayer: Replayer,
  handed: readonly Handed[],
): Promise<boolean> {
  const { states, log } = await recordedRun(replayer, "present", handed);
  const made = new Set(log.split("\n").map((line) => (tryParseJson(line) as Entry)?.handed));
  const areMade = handed.every((one) => made.has(keyOf(one)));
  return areMade && replayer.options.green.every(({ id }) => states[id] === "passed");
}

/** How the recorders name a call that they hand something for. */
export function keyOf({ module, name, kind, args }: Omit<Handed, "value">): string {
  return JSON.stringify([module, name, kind, args]);
}

async function recordedRun(
  replayer: Replayer,
  which: "start" | "present",
  handed: readonly Handed[] = [],
) {
  const { plan, options, settings, language } = replayer;
  const room = await options.room(which);
  const files = await writeRecorder(room, language);
  const sources = textsOf(replayer.sources.slice(0, SOURCES), room.cwd);
  const exported = await exportsOf(replayer, room.cwd, files.recorder);
  const { names, failed, started } = exported;
  const values = handed.map((one) => [inRoom(keyOf(one), room), inRoom(one.value, room)]);
  if (handed.length > 0) await writeFile(`${files.log}.handed`, JSON.stringify(values));
  const { moved, written, env } = language.record({
    ...{ ...files, root: room.cwd, sources, exported: names, values: exported.values, handed },
    users: usersIn(replayer, room.cwd),
    env: { ...process.env, ...settings.env },
  });
  for (const [from, to] of moved) await rename(join(room.cwd, from), join(room.cwd, to));
  for (const [path, text] of written) await writeFile(resolve(room.cwd, path), text);
  const withRecorder = { ...settings, env: { ...settings.env, ...env } };
  const { tests } = await runPlanIn(room, plan, options, withRecorder);
  const log = outOfRoom(await readFile(files.log, "utf8").catch(() => ""), room);
  return { states: testStates(tests), log, failed, started };
}

/** Those modules that an ordinary program cannot load with the sources of the start either, or that are not there. */
export async function unloadableAtStart(
  replayer: Replayer,
  modules: readonly string[],
): Promise<Set<string>> {
  const room = await replayer.options.room("start");
  const { recorder } = await writeRecorder(room, replayer.language);
  const { failed } = await exportsOf({ ...replayer, sources: modules }, room.cwd, recorder);
  return new Set(failed.keys());
}

/** Where the tests are that pass. */
export function testFilesOf({ green }: CheckOptions): string[] {
  return [...new Set(green.flatMap(({ file }) => file ?? []))];
}

/** Texts of files that may load the sources. */
export function usersIn({ options, sources }: Replayer, cwd: string): string[] {
  const paths = [...testFilesOf(options), ...sources.slice(0, SOURCES)];
  return [...textsOf(paths, cwd).values()];
}

/** Lines in the order of the calls; what a promise gave stands in a later one. */
function readLog(text: string) {
  const recording = { calls: [] as Call[], unseen: [] as string[], paths: [] as string[] };
  const [loaded, left, replaced] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let [program, browser]: [string?, boolean?] = [];
  const zones = new Set<string>();
  const waiting = new Map<string, Call>();
  const seen = new Set<string>();
  const made = new Map<string, number>();
  for (const line of text.split("\n")) {
    const entry = tryParseJson(line) as Entry | undefined;
    // A line that a process did not write to its end.
    if (entry === undefined) continue;
    if (entry.unseen !== undefined) recording.unseen.push(entry.unseen);
    else if (entry.loaded !== undefined) loaded.add(entry.loaded);
    else if (entry.replaced !== undefined) replaced.add(entry.replaced);
    else if (entry.browser) browser = true;
    else if (entry.zone !== undefined) zones.add(entry.zone);
    else if ("paths" in entry) {
      program ??= entry.program;
      recording.paths = [...new Set([...recording.paths, ...(entry.paths ?? [])])];
    } else if (entry.name === undefined) {
      const call = waiting.get(entry.later ?? "");
      if (call) Object.assign(call, { gave: entry.gave ?? null, result: entry.result });
    } else if (entry.object !== undefined || !seen.has(line)) {
      const name = `${entry.module} ${entry.name}`;
      const before = made.get(name) ?? 0;
      if (before >= CALLS_OF_ONE || recording.calls.length >= CALLS) {
        left.add(entry.name);
        continue;
      }
      made.set(name, before + 1);
      seen.add(line);
      const { later, gave = null, ...call } = entry as Call & { later?: string };
      recording.calls.push({ ...call, gave });
      if (later !== undefined) waiting.set(later, recording.calls.at(-1) as Call);
    }
  }
  if (left.size > 0) recording.unseen.push(`calls beyond the first ${CALLS_OF_ONE}`);
  const [zone = ""] = zones.size === 1 ? zones : [];
  return {
    ...recording,
    ...{ program, browser: browser === true, zone: zone === "" ? null : zone },
    ...{ loaded, replaced: [...replaced] },
  };
}

type Entry = Partial<Call> & {
  later?: string;
  unseen?: string;
  handed?: string;
  loaded?: string;
  replaced?: string;
  browser?: boolean;
  zone?: string;
  program?: string;
  paths?: string[];
};

/**
 * What modules export, and why those cannot be loaded that an ordinary program cannot load; `started` is false where that
 * program said nothing, not even which of them it loads first.
 */
async function exportsOf(
  { options, settings, language, sources }: Replayer,
  cwd: string,
  recorder: string,
) {
  const [names, values] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const failed = new Map<string, string>();
  const about = { cwd, scope: options.scope, signal: options.signal, timeoutMs: EXPORTS_MS };
  let left = sources.slice(0, SOURCES);
  let started = left.length === 0;
  for (let starts = 0; left.length > 0 && starts < MAX_STARTS; starts += 1) {
    const command = language.exportsCommand(recorder, cwd, left);
    if (command === null) return { names, values, failed, started: true };
    const { output } = await probe(command, about, settings);
    let open: string | undefined;
    for (const [, word, text = "[]"] of output.matchAll(/^@(load|names|failed) (\[.*\])$/gm)) {
      const [path, told, noFunctions] = JSON.parse(text);
      started = true;
      if (word === "names") names.set(path, told);
      if (word === "names") values.set(path, noFunctions);
      if (word === "failed") failed.set(path, told);
      open = word === "load" ? path : undefined;
    }
    if (open !== undefined) failed.set(open, "the program ended");
    if (open === undefined) break;
    left = left.filter((path) => !names.has(path) && !failed.has(path));
  }
  return { names, values, failed, started };
}

/** Calls as they are in a room: with its path where the recording has a mark. */
export function callsIn(room: { cwd: string }, { calls }: Recording): Omit<Call, "gave">[] {
  return calls.map(({ gave: _, ...call }) => ({ ...call, args: inRoom(call.args, room) }));
}

/** Stands for the path of the room in what is compared between rooms. */
const ROOM = "@ROOM@";

/** Our files beside the room. */
export async function writeRecorder({ top }: Checkout, { recorder, clock }: ReplayLanguage) {
  const folder = join(dirname(top), "recorded");
  await mkdir(folder, { recursive: true });
  const file = join(folder, recorder.name);
  await writeFile(file, recorder.text);
  await writeFile(join(folder, clock.name), clock.text);
  return {
    ...{ folder, recorder: file, clock: join(folder, clock.name) },
    log: join(folder, "calls.jsonl"),
  };
}

/** A text of JSON without the path of the room … */
export function outOfRoom(text: string, { cwd }: Pick<Checkout, "cwd">): string {
  return text.replaceAll(JSON.stringify(cwd).slice(1, -1), ROOM);
}

/** … and with it. */
export function inRoom(text: string, { cwd }: Pick<Checkout, "cwd">): string {
  return text.replaceAll(ROOM, JSON.stringify(cwd).slice(1, -1));
}

/** Whether a name that was recorded is the path of a file of the room, and that path from there. */
export const isInRoom = (name: string): boolean => name.startsWith(`${ROOM}/`);
export const fromRoom = (name: string): string => name.slice(ROOM.length + 1);

/** A text without the names of these programs: what says how it is called says something else in each. */
export function withoutProgram(text: string, programs: readonly string[]): string {
  return programs.reduce((told, path) => told.replaceAll(basename(path), "@PROGRAM@"), text);
}
