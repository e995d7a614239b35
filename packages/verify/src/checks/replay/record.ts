import { readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CheckOptions, testStates, type VerifyPlan } from "@ccw-loop/core";
import { probe } from "../../probe.ts";
import { type RunSettings, verify } from "../../verify.ts";
import type { Call, Recording, ReplayLanguage } from "./language.ts";
import { inRoom, layRecorder, outOfRoom } from "./recorder-files.ts";

/** So many calls are repeated, of one function and of all: a function that is called often must not hide another one. */
const CALLS_OF_ONE = 1000;
const CALLS = 5000;
const SOURCES = 100;
const EXPORTS_MS = 30_000;

export interface Replayer {
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
  language: ReplayLanguage;
  sources: readonly string[];
  /** Test files that repeat the calls in the place of their own tests: what looks at the name of the running file sees theirs. */
  samples: readonly string[];
}

/** The calls of one test run; null where it does not end as without the recording. */
export async function record(replayer: Replayer): Promise<Recording | null> {
  const { plan, options, settings, language } = replayer;
  const room = await options.room("present");
  const files = await layRecorder(room, language);
  const read = async (path: string) =>
    [path, await readFile(join(room.cwd, path), "utf8").catch(() => "")] as const;
  const sources = new Map(await Promise.all(replayer.sources.slice(0, SOURCES).map(read)));
  const tests = await Promise.all(testFilesOf(options).map(read));
  const { moved, written, env } = language.record({
    ...{ ...files, root: room.cwd, sources },
    exported: await exportedNames(replayer, room.cwd, files.recorder),
    users: [...tests.map(([, text]) => text), ...sources.values()],
    env: { ...process.env, ...settings.env },
  });
  for (const [from, to] of moved) await rename(join(room.cwd, from), join(room.cwd, to));
  for (const [path, text] of written) await writeFile(resolve(room.cwd, path), text);
  const { cwd, ...rest } = room;
  const recording = { ...settings, env: { ...settings.env, ...env } };
  const run = await verify(plan, { ...options, cwd, room: rest }, recording);
  const states = testStates(run.tests);
  if (options.green.some(({ id }) => states[id] !== "passed")) return null;
  return readLog(outOfRoom(await readFile(files.log, "utf8").catch(() => ""), room));
}

/** Where the tests are that pass. */
export function testFilesOf({ green }: CheckOptions): string[] {
  return [...new Set(green.flatMap(({ file }) => file ?? []))];
}

/** Texts of files that may load the sources, as `record` looks at them. */
export async function usersIn(replayer: Replayer, cwd: string): Promise<string[]> {
  const paths = [...testFilesOf(replayer.options), ...replayer.sources.slice(0, SOURCES)];
  return Promise.all(paths.map((path) => readFile(join(cwd, path), "utf8").catch(() => "")));
}

/** Lines in the order of the calls; what a promise gave stands in a later one. */
function readLog(text: string): Recording {
  const recording: Recording = { calls: [], unseen: [], paths: [] };
  const waiting = new Map<string, Call>();
  const seen = new Set<string>();
  const made = new Map<string, number>();
  for (const line of text.split("\n")) {
    const entry = parsed(line);
    if (entry === null) continue;
    if (entry.unseen !== undefined) recording.unseen.push(entry.unseen);
    else if ("paths" in entry) {
      recording.program ??= entry.program;
      recording.paths = [...new Set([...recording.paths, ...(entry.paths ?? [])])];
    } else if (entry.name === undefined) {
      const call = waiting.get(entry.later ?? "");
      if (call) Object.assign(call, { gave: entry.gave ?? null, result: entry.result });
    } else if (recording.calls.length < CALLS && (entry.object !== undefined || !seen.has(line))) {
      const name = `${entry.module} ${entry.name}`;
      const before = made.get(name) ?? 0;
      if (before >= CALLS_OF_ONE) continue;
      made.set(name, before + 1);
      seen.add(line);
      const { later, gave = null, ...call } = entry as Call & { later?: string };
      recording.calls.push({ ...call, gave });
      if (later !== undefined) waiting.set(later, recording.calls.at(-1) as Call);
    }
  }
  return recording;
}

type Entry = Partial<Call> & {
  later?: string;
  unseen?: string;
  program?: string;
  paths?: string[];
};

/** Null for a line that a process did not write to its end. */
function parsed(line: string): Entry | null {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}

async function exportedNames(
  { options, settings, language, sources }: Replayer,
  cwd: string,
  recorder: string,
): Promise<Map<string, string[]>> {
  const command = language.exportsCommand(recorder, cwd, sources.slice(0, SOURCES));
  if (command === null) return new Map();
  const about = { cwd, scope: options.scope, signal: options.signal, timeoutMs: EXPORTS_MS };
  const { output } = await probe(command, about, settings);
  const lines = output.matchAll(/^@names (\[.*\])$/gm);
  return new Map([...lines].map(([, text = "[]"]) => JSON.parse(text)));
}

/** Calls as they are in a room: with its path where the recording has a mark. */
export function callsIn(room: { cwd: string }, { calls }: Recording): Omit<Call, "gave">[] {
  return calls.map(({ gave: _, ...call }) => ({ ...call, args: inRoom(call.args, room) }));
}
