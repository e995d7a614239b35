import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckOptions } from "@ccw-loop/core";
import { mountAtProject, overwrite, placeInRoom, type RunPlace } from "../../process/sandbox.ts";
import { verifyIn } from "../../verify.ts";
import { DELAY_MS, inTerminal, runAsUser, unusedName } from "../ordinary-program.ts";
import { runnerOfTestFile } from "../test-text.ts";
import { laterArguments } from "./clock.ts";
import type { Calls, Recording } from "./language.ts";
import {
  callsIn,
  inRoom,
  outOfRoom,
  type Replayer,
  testFilesOf,
  usersIn,
  withoutProgram,
  writeRecorder,
} from "./record.ts";
import { addLines, emptyOutcome, type RepeatOutcome, type Results } from "./results.ts";

const REPLAY_MS = 60_000;
/** A program that a call ends is started again for the others. */
const MAX_STARTS = 5;
/** What users may write behind the name of a program. */
const EXAMPLE_ARGUMENTS = "serve --port 8080";

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
  await verifyIn(room, plan, options, settings, place);
  const read = await Promise.all(
    outputs.map((output, n) =>
      readInto(emptyOutcome(calls.calls.length), output, {
        ...{ calls, place, program: samples[n] ?? "" },
      }),
    ),
  );
  return read.flatMap((one) => (one === null ? [] : [one.repeated.results]));
}

/** How an ordinary program is run. */
export interface Use {
  /** In a terminal of its own … */
  terminal?: boolean;
  /** … with its clocks put forward, in milliseconds … */
  ahead?: number;
  /** … and the points in time in arguments as well … */
  shifted?: boolean;
  /** … or at once behind its start: as a module, with words of a user and another program in front, and where no tests lie. */
  justStarted?: boolean;
  /** … or not where the project is, but in the room, as its tests are. */
  inRoom?: boolean;
}

/**
 * The results of an ordinary program, in the project and, but for one that has just started, after a while. Null where it cannot be run
 * so; `cut` where too many calls ended it.
 */
export async function repeatInProgram(
  about: Repetition,
  {
    terminal = false,
    ahead = 0,
    shifted = false,
    justStarted = false,
    inRoom: stays = false,
  }: Use = {},
): Promise<(RepeatOutcome & { cut: boolean }) | null> {
  const { options, settings, language } = about.replayer;
  const room = await options.room(about.which);
  const { recorder, folder, clock } = await writeRecorder(room, language);
  const place = await (stays ? placeInRoom : mountAtProject)(room, settings.hidden);
  if (place.wrap === null) await mkdir(join(room.cwd, ".git"), { recursive: true });
  const { program, ...recording } = about.recording;
  // It may be installed in the project.
  const started = { ...recording, program: program && inRoom(program, place) };
  const recorded = callsFor(about, place, recorder);
  const base = shifted ? withLaterArguments(recorded, ahead) : recorded;
  const repeated = emptyOutcome(base.calls.length);
  const removed = justStarted ? await removeTests(room.cwd, options) : [];
  const names = (args: string) => removed.some((folder) => args.includes(folder));
  repeated.ended.calls.push(...base.calls.flatMap(({ args }, n) => (names(args) ? [n] : [])));
  for (let starts = 0; starts < MAX_STARTS; starts += 1) {
    const output = join(folder, `results-${starts}.jsonl`);
    const calls = {
      ...{ ...base, without: repeated.ended },
      ...(ahead > 0 ? { clock: { file: clock, ahead } } : {}),
      ...(ahead > 0 || justStarted ? { delay: 0 } : {}),
    };
    const { extension, text } = language.program(calls, output, { justStarted });
    // In the project, and with a name as its own programs have: what looks at that cannot tell it from them.
    const main = `${await unusedName([room.cwd], () => true)}${extension}`;
    await writeFile(join(room.cwd, main), text);
    const direct = language.command(join(place.cwd, main), started);
    const command = terminal
      ? inTerminal(direct)
      : justStarted
        ? `: | ${direct} ${EXAMPLE_ARGUMENTS}`
        : direct;
    if (command === null) return null;
    await runAsUser(command, {
      ...{ cwd: room.cwd, place, login: terminal, options, settings },
      timeoutMs: REPLAY_MS,
    });
    await rm(join(room.cwd, main), { force: true });
    const read = await readInto(repeated, output, { calls, place, program: main });
    if (read === null) return null;
    if (read.whole) return { ...repeated, cut: false };
  }
  return { ...repeated, cut: true };
}

/**
 * Removes what holds nothing but tests, as where the project is installed; answers with the folders that are gone. A call that names
 * one of them may well need it.
 */
async function removeTests(cwd: string, options: CheckOptions): Promise<string[]> {
  const tests = testFilesOf(options).filter((path) => !options.sources.includes(path));
  for (const path of tests) await rm(join(cwd, path), { force: true });
  const removed: string[] = [];
  for (const path of tests) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      const isGone = await rmdir(join(cwd, folder)).then(
        () => true,
        () => false,
      );
      if (!isGone) break;
      removed.push(folder);
    }
  }
  return removed;
}

function callsFor({ recording }: Repetition, place: RunPlace, recorder: string): Calls {
  const paths = recording.paths.map((path) => inRoom(path, place));
  return {
    ...{ root: place.cwd, recorder, calls: callsIn(place, recording), paths, delay: DELAY_MS },
    browser: recording.browser,
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
