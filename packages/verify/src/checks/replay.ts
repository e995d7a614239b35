import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  objectionOf,
  type ProofCheck,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import { probe } from "../probe.ts";
import { testEnvironment } from "../process/environment.ts";
import { runCommand } from "../process/run-command.ts";
import { type RunSettings, verify } from "../verify.ts";
import { javascriptReplay } from "./replay-javascript.ts";
import type { Call, Calls } from "./replay-language.ts";

const LANGUAGES = [javascriptReplay];
/** Calls beyond these say nothing new. */
const CALLS = 300;
/** What asks how long it has been running is asked when that is long ago. */
const DELAY_MS = 3500;
const SAMPLES = 5;
const EXPORTS_MS = 20_000;
const REPLAY_MS = 60_000;

/**
 * Calls of the changed modules are recorded while the tests run, and then repeated twice: by a test under the runner, and
 * by an ordinary program without a runner, in the whole project, some seconds after its start. What gives another result
 * there behaves differently under test, and what tests say of it says nothing. What differs from itself, or differs on
 * the start too, is left alone.
 */
export async function replayRun(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult> {
  const began = performance.now();
  const ended = (result: ProofCheck["result"], reason: string, looked_at = 0): ProofCheck => ({
    ...{ kind: "replay", result, reason, looked_at },
    duration_ms: Math.round(performance.now() - began),
  });
  const language = LANGUAGES.find((one) => options.sources.some(one.handles));
  const sources = options.sources.filter((path) => language?.handles(path));
  const files = options.green.flatMap(({ file }) => file ?? []);
  const samples = [...new Set(files)].filter((file) => language?.handles(file)).slice(0, SAMPLES);
  if (!language || samples.length === 0) {
    return {
      check: ended("not_run", "Calls of the changed sources cannot be recorded in their language."),
      objections: [],
    };
  }
  const replayer = { plan, options, settings, language, sources, samples };
  const calls = await record(replayer);
  if (calls === null) {
    return {
      check: ended(
        "not_run",
        "The tests end otherwise while calls of the changed sources are recorded.",
      ),
      objections: [],
    };
  }
  if (calls.length === 0) {
    return {
      check: ended("not_run", "The tests call no changed source with plain values."),
      objections: [],
    };
  }
  const present = await bothWays(replayer, "present", calls);
  if (present === null) {
    return { check: ended("not_run", "The recorded calls could not be repeated."), objections: [] };
  }
  let different = differing(calls, present);
  if (different.length > 0) {
    const start = await bothWays(replayer, "start", calls);
    const already = new Set(
      start === null
        ? []
        : differing(calls, start).map(({ call }) => `${call.module} ${call.name}`),
    );
    different = different.filter(({ call }) => !already.has(`${call.module} ${call.name}`));
  }
  if (different.length === 0) {
    return {
      check: ended("held", `${calls.length} calls gave the same in ordinary use.`, calls.length),
      objections: [],
    };
  }
  const names = different.map(
    ({ call, under, plain }) =>
      `${call.name}(${call.args.slice(1, -1)}) gave ${under} to a test and ${plain} in ordinary use`,
  );
  const objection = objectionOf("replay", names, "Changed sources behave differently under test");
  return {
    check: ended(
      "failed",
      `${different.length} of ${calls.length} calls gave something else in ordinary use.`,
      calls.length,
    ),
    objections: [objection],
  };
}

interface Replayer {
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
  language: (typeof LANGUAGES)[number];
  sources: readonly string[];
  /** Test files that repeat the calls in the place of their own tests: what looks at the name of the running file sees theirs. */
  samples: readonly string[];
}

/** The calls of one test run; null where it does not end as without the recording. */
async function record({
  plan,
  options,
  settings,
  language,
  sources,
}: Replayer): Promise<Call[] | null> {
  const room = await options.room("present");
  const { recorder, log } = await layRecorder(room, language);
  const files = [...new Set(options.green.flatMap(({ file }) => file ?? [])), ...sources];
  const users = await Promise.all(
    files.map((file) => readFile(join(room.cwd, file), "utf8").catch(() => "")),
  );
  const laid: [path: string, made: { moved: string; wrapper: string }][] = [];
  for (const path of sources) {
    const text = await readFile(join(room.cwd, path), "utf8").catch(() => null);
    if (text === null) continue;
    const exportsOf = () =>
      exportedNames(join(room.cwd, path), { options, settings, language, cwd: room.cwd });
    const made = await language.instrument({ path, text, exportsOf, recorder, log, users });
    if (made) laid.push([path, made]);
  }
  for (const [path, { moved, wrapper }] of laid) {
    await rename(join(room.cwd, path), join(room.cwd, moved));
    await writeFile(join(room.cwd, path), wrapper);
  }
  const { cwd, ...rest } = room;
  const run = await verify(plan, { ...options, cwd, room: rest }, settings);
  const states = testStates(run.tests);
  if (options.green.some(({ id }) => states[id] !== "passed")) return null;
  const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const unique = [
    ...new Set(
      lines.map((line) => line.replaceAll(JSON.stringify(room.cwd).slice(1, -1), "@ROOM@")),
    ),
  ];
  return unique.slice(0, CALLS).map((line) => JSON.parse(line) as Call);
}

interface Results {
  /** By test file. */
  under: (string | null)[][];
  plain: (string | null)[];
  again: (string | null)[];
}

/** The results of the calls under the runner, and twice in an ordinary program. */
async function bothWays(
  replayer: Replayer,
  which: "start" | "present",
  calls: Call[],
): Promise<Results | null> {
  const under = await underRunner(replayer, which, calls);
  if (under === null) return null;
  const [plain, again] = await Promise.all([
    ordinary(replayer, which, calls),
    ordinary(replayer, which, calls),
  ]);
  return plain === null || again === null ? null : { under, plain, again };
}

async function underRunner(
  { plan, options, settings, language, samples }: Replayer,
  which: "start" | "present",
  calls: Call[],
): Promise<(string | null)[][] | null> {
  const room = await options.room(which);
  const { recorder, folder } = await layRecorder(room, language);
  const outputs: string[] = [];
  for (const [n, sample] of samples.entries()) {
    const text = await readFile(join(room.cwd, sample), "utf8");
    const output = join(folder, `under-${n}.json`);
    const about = {
      calls: callsFor(room, recorder, calls, true),
      output,
      title: "repeats recorded calls",
    };
    const made = plan.parts
      .map(({ report }) => language.replayTest(report, text, dirname(sample), about))
      .find((one) => one !== null);
    if (made === undefined) return null;
    await writeFile(join(room.cwd, sample), made);
    outputs.push(output);
  }
  const { cwd, ...rest } = room;
  await verify(plan, { ...options, cwd, room: rest }, settings);
  const results = await Promise.all(outputs.map((output) => readResults(output, room)));
  const read = results.filter((one) => one !== null);
  return read.length === 0 ? null : read;
}

/** In a repository, as most programs are used, and after a while. */
async function ordinary(
  { options, settings, language }: Replayer,
  which: "start" | "present",
  calls: Call[],
) {
  const room = await options.room(which);
  const { recorder, results, folder } = await layRecorder(room, language);
  await mkdir(join(room.cwd, ".git"), { recursive: true });
  const program = join(folder, "main.cjs");
  await writeFile(program, language.replayProgram(callsFor(room, recorder, calls, false), results));
  const { CI: _, ...env } = testEnvironment(process.env, room.cwd);
  await runCommand(`node ${JSON.stringify(program)}`, {
    ...{
      cwd: room.cwd,
      env,
      processes: settings.processes,
      scope: options.scope,
      signal: options.signal,
    },
    ...{ timeoutMs: REPLAY_MS, graceMs: settings.graceMs, onStdout: () => {} },
  });
  return readResults(results, room);
}

function callsFor({ cwd }: Checkout, recorder: string, calls: Call[], under: boolean): Calls {
  const own = calls.map((call) => ({
    ...call,
    args: call.args.replaceAll("@ROOM@", JSON.stringify(cwd).slice(1, -1)),
  }));
  return {
    root: cwd,
    recorder,
    modules: [...new Set(calls.map(({ module }) => module))],
    calls: own,
    delay: DELAY_MS,
    under,
  };
}

async function readResults(file: string, { cwd }: Checkout): Promise<(string | null)[] | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return null;
  return JSON.parse(text.replaceAll(JSON.stringify(cwd).slice(1, -1), "@ROOM@"));
}

/** Our files beside the room. */
async function layRecorder({ cwd }: Checkout, { recorder }: Replayer["language"]) {
  const folder = join(dirname(cwd), "recorded");
  await mkdir(folder, { recursive: true });
  const file = join(folder, recorder.name);
  await writeFile(file, recorder.text);
  return {
    folder,
    recorder: file,
    log: join(folder, "calls.jsonl"),
    results: join(folder, "results.json"),
  };
}

async function exportedNames(
  file: string,
  {
    options,
    settings,
    language,
    cwd,
  }: Pick<Replayer, "options" | "settings" | "language"> & { cwd: string },
): Promise<string[]> {
  const { command, args } = language.exportsProgram(file);
  const line = [command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const run = await probe(
    line,
    { cwd, scope: options.scope, signal: options.signal, timeoutMs: EXPORTS_MS },
    settings,
  );
  const found = /^@names (\[.*\])$/m.exec(run.output)?.[1];
  return found === undefined
    ? []
    : (JSON.parse(found) as string[]).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
}

function differing(calls: readonly Call[], { under, plain, again }: Results) {
  return calls.flatMap((call, n) => {
    const [usual, twice] = [plain[n], again[n]];
    const tested = under.map((results) => results[n]).find((one) => one != null && one !== usual);
    return usual == null || usual !== twice || tested === undefined
      ? []
      : [{ call, under: tested, plain: usual }];
  });
}
