import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckOptions, Checkout } from "@ccw-loop/core";
import { mountAtProject, placeInRoom, type RunPlace } from "@ccw-loop/test-runner/clean-room";
import { DELAY_MS, inTerminal, runAsUser, unusedName } from "../ordinary-program.ts";
import type { Calls, Recording } from "./language.ts";
import { inRoom, type Replayer, testFilesOf, writeRecorder } from "./record.ts";

const REPLAY_MS = 60_000;
/** What users may write behind the name of a program. */
const EXAMPLE_ARGUMENTS = "serve --port 8080";

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

/** A room for an ordinary program of ours, which may wait there for what it is to repeat. */
export interface Program {
  replayer: Replayer;
  use: Use;
  room: Checkout;
  place: RunPlace;
  files: Awaited<ReturnType<typeof writeRecorder>>;
  /** Folders that are gone from the room. */
  removed: readonly string[];
  waiting: Running | null;
}

interface Running {
  /** Its file in the room. */
  main: string;
  over: Promise<void>;
  end: () => void;
}

export async function programFor(
  replayer: Replayer,
  which: "start" | "present",
  use: Use,
): Promise<Program> {
  const { options, settings, language } = replayer;
  const room = await options.room(which);
  const files = await writeRecorder(room, language);
  const place = await (use.inRoom ? placeInRoom : mountAtProject)(room, settings.hidden);
  if (place.wrap === null) await mkdir(join(room.cwd, ".git"), { recursive: true });
  const removed = use.justStarted ? await removeTests(room.cwd, options) : [];
  return { replayer, use, room, place, files, removed, waiting: null };
}

/**
 * One that is started before anything is recorded, where the language allows that: when it is told what to repeat, it has
 * been running for a while.
 */
export async function waitingProgram(replayer: Replayer, use: Use): Promise<Program> {
  const program = await programFor(replayer, "present", use);
  return replayer.language.waits
    ? { ...program, waiting: await start(program, 0, undefined) }
    : program;
}

/** Has it repeat these calls, in its n-th start; null where it cannot be started so. */
export async function runProgram(
  program: Program,
  n: number,
  { calls, recording }: { calls: Calls; recording: Recording },
): Promise<{ main: string; output: string } | null> {
  const { room, files, replayer } = program;
  const [told, output] = filesOf(files, n);
  await writeFile(`${told}.new`, JSON.stringify(calls));
  await rename(`${told}.new`, told);
  const running = (n === 0 ? program.waiting : null) ?? (await start(program, n, recording));
  if (running === null) return null;
  const limit = setTimeout(running.end, REPLAY_MS);
  await running.over.finally(() => clearTimeout(limit));
  replayer.options.signal.throwIfAborted();
  await rm(join(room.cwd, running.main), { force: true });
  return { main: running.main, output };
}

/** Ends a program that nobody needs any more. */
export async function endProgram({ waiting }: Program): Promise<void> {
  waiting?.end();
  await waiting?.over;
}

function filesOf({ folder }: Program["files"], n: number): [told: string, output: string] {
  return [join(folder, `calls-${n}.json`), join(folder, `results-${n}.jsonl`)];
}

async function start(
  { replayer, use, room, place, files }: Program,
  n: number,
  recording: Recording | undefined,
): Promise<Running | null> {
  const { options, settings, language } = replayer;
  const { terminal = false, ahead = 0, justStarted = false } = use;
  const [told, output] = filesOf(files, n);
  const beginning = {
    ...{ root: place.cwd, paths: recording?.paths.map((path) => inRoom(path, place)) ?? [] },
    ...(ahead > 0 ? { clock: { file: files.clock, ahead } } : {}),
    ...{ delay: DELAY_MS, ...(ahead > 0 || justStarted ? { delay: 0 } : {}) },
  };
  const { extension, text } = language.program(beginning, { told, output, justStarted });
  // In the project, and with a name as its own programs have: what looks at that cannot tell it from them.
  const main = `${await unusedName([room.cwd], () => true)}${extension}`;
  await writeFile(join(room.cwd, main), text);
  // It may be installed in the project.
  const interpreter = recording?.program && inRoom(recording.program, place);
  const direct = language.command(join(place.cwd, main), interpreter);
  const command = terminal
    ? inTerminal(direct)
    : justStarted
      ? `: | ${direct} ${EXAMPLE_ARGUMENTS}`
      : direct;
  if (command === null) return null;
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const over = runAsUser(command, {
    ...{ cwd: room.cwd, place, login: terminal, options: { ...options, signal }, settings },
    timeoutMs: Number.POSITIVE_INFINITY,
  }).catch((error) => {
    if (!signal.aborted) throw error;
  });
  over.catch(() => {});
  return { main, over, end: () => ended.abort() };
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
