import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runPlanIn } from "@ccw-loop/test-runner";
import {
  mountAtProject,
  overwrite,
  placeInRoom,
  type RunPlace,
} from "@ccw-loop/test-runner/clean-room";
import { runnerOfTestFile } from "../test-text.ts";
import { laterArguments } from "./clock.ts";
import type { Calls, Recording } from "./language.ts";
import { type Program, programFor, runProgram, type Use } from "./program.ts";
import {
  callsIn,
  outOfRoom,
  type Replayer,
  usersIn,
  withoutProgram,
  writeRecorder,
} from "./record.ts";
import { addLines, emptyOutcome, type RepeatOutcome, type Results } from "./results.ts";

/** A program that a call ends is started again for the others. */
const MAX_STARTS = 5;

export interface Repetition {
  replayer: Replayer;
  recording: Recording;
  /** Whose sources. */
  which: "start" | "present";
}

/** The results of the calls under the runner, by test file; empty where they could not be repeated there. */
export async function repeatUnderRunner(
  about: Repetition,
  { inRoom: stays = false }: Use = {},
): Promise<Results[]> {
  const { plan, options, settings, language, samples } = about.replayer;
  const room = await options.room(about.which);
  const { recorder, folder } = await writeRecorder(room, language);
  const place = await (stays ? placeInRoom : mountAtProject)(room, settings.hidden);
  const calls = callsFor(about, place, recorder);
  const users = usersIn(about.replayer, room.cwd);
  const outputs: string[] = [];
  for (const [n, path] of samples.entries()) {
    const sample = { path, text: await readFile(join(room.cwd, path), "utf8") };
    const output = join(folder, `under-${n}.json`);
    const text = plan.parts
      .map(({ report }) =>
        language.test(runnerOfTestFile(report, sample.text), sample, { calls, output, users }),
      )
      .find((one) => one !== null);
    if (text === undefined) return [];
    await overwrite(join(room.cwd, path), text);
    outputs.push(output);
  }
  await runPlanIn(room, plan, options, settings, place);
  const read = await Promise.all(
    outputs.map((output, n) =>
      readInto(emptyOutcome(calls.calls.length), output, {
        ...{ calls, place, program: samples[n] ?? "" },
      }),
    ),
  );
  return read.flatMap((one) => (one === null ? [] : [one.repeated.results]));
}

/**
 * The results of an ordinary program, in the project and, but for one that has just started, after a while. Null where it cannot be run
 * so; `cut` where too many calls ended it. `waiting` is one that has been started for it.
 */
export async function repeatInProgram(
  about: Repetition,
  use: Use = {},
  waiting?: Program,
): Promise<(RepeatOutcome & { cut: boolean }) | null> {
  const { recording, replayer, which } = about;
  const program = waiting ?? (await programFor(replayer, which, use));
  const { place, files, removed } = program;
  const recorded = callsFor(about, place, files.recorder);
  const base = use.shifted ? withLaterArguments(recorded, use.ahead ?? 0) : recorded;
  const repeated = emptyOutcome(base.calls.length);
  const names = (args: string) => removed.some((folder) => args.includes(folder));
  repeated.ended.calls.push(...base.calls.flatMap(({ args }, n) => (names(args) ? [n] : [])));
  for (let starts = 0; starts < MAX_STARTS; starts += 1) {
    const calls = { ...base, without: repeated.ended };
    const run = await runProgram(program, starts, { calls, recording });
    if (run === null) return null;
    const read = await readInto(repeated, run.output, { calls, place, program: run.main });
    if (read === null) return null;
    if (read.whole) return { ...repeated, cut: false };
  }
  return { ...repeated, cut: true };
}

function callsFor({ recording }: Repetition, place: RunPlace, recorder: string): Calls {
  return {
    ...{ root: place.cwd, recorder, calls: callsIn(place, recording) },
    ...{ browser: recording.browser, zone: recording.zone },
    without: { calls: [], modules: [] },
  };
}

function withLaterArguments(about: Calls, ms: number): Calls {
  const calls = about.calls.map((call) => ({ ...call, args: laterArguments(call.args, ms) }));
  return { ...about, calls };
}

/** Null where nothing was written at all. */
async function readInto(
  repeated: RepeatOutcome,
  file: string,
  { calls, place, program }: { calls: Calls; place: RunPlace; program: string },
): Promise<{ repeated: RepeatOutcome; whole: boolean } | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return null;
  const modules = calls.calls.map(({ module }) => module);
  return {
    repeated,
    ...addLines(repeated, withoutProgram(outOfRoom(text, place), [program]), modules),
  };
}
