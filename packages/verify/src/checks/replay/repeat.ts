import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testEnvironment } from "../../process/environment.ts";
import { type Place, placeOf } from "../../process/place.ts";
import { runCommand } from "../../process/run-command.ts";
import { inTerminal, SESSION } from "../../process/terminal.ts";
import { verify } from "../../verify.ts";
import type { Calls, Recording } from "./language.ts";
import { callsIn, type Replayer, usersIn } from "./record.ts";
import { inRoom, layRecorder, outOfRoom } from "./recorder-files.ts";

/** What asks how long it has been running is asked when that is long ago. */
const DELAY_MS = 3500;
const REPLAY_MS = 60_000;
const NAMES = ["app", "server", "start", "serve", "cli"];

/** What each call gave; null where that cannot be compared. */
export type Results = readonly (string | null)[];

export interface Repetition {
  replayer: Replayer;
  recording: Recording;
  /** Whose sources. */
  which: "start" | "present";
}

/** The results of the calls under the runner, by test file; empty where they could not be repeated there. */
export async function underRunner(about: Repetition): Promise<Results[]> {
  const { plan, options, settings, language, samples } = about.replayer;
  const room = await options.room(about.which);
  const { recorder, folder } = await layRecorder(room, language);
  const place = await placeOf(room, settings.hidden);
  const calls = callsFor(about, place, recorder);
  const users = await usersIn(about.replayer, room.cwd);
  const outputs: string[] = [];
  for (const [n, path] of samples.entries()) {
    const sample = { path, text: await readFile(join(room.cwd, path), "utf8") };
    const output = join(folder, `under-${n}.json`);
    const text = plan.parts
      .map(({ report }) => language.test(report, sample, { calls, output, users }))
      .find((one) => one !== null);
    if (text === undefined) return [];
    await writeFile(join(room.cwd, path), text);
    outputs.push(output);
  }
  const { cwd, ...rest } = room;
  await verify(plan, { ...options, cwd, room: rest, place }, settings);
  const read = await Promise.all(outputs.map((output) => readResults(output, place)));
  return read.filter((one) => one !== null);
}

/**
 * The results of an ordinary program: in the project, and after a while. Null where it cannot
 * be run so.
 */
export async function ordinary(
  about: Repetition,
  { terminal = false, ahead = false } = {},
): Promise<Results | null> {
  const { options, settings, language } = about.replayer;
  const room = await options.room(about.which);
  const { recorder, folder, clock } = await layRecorder(room, language);
  const place = await placeOf(room, settings.hidden);
  if (place.wrap === null) await mkdir(join(room.cwd, ".git"), { recursive: true });
  const output = join(folder, "results.json");
  const calls = { ...callsFor(about, place, recorder), ...(ahead ? { delay: 0, clock } : {}) };
  const { extension, text } = language.program(calls, output);
  // In the project, and with a name as its own programs have: what looks at that cannot tell it from them.
  const main = `${NAMES.find((name) => !existsSync(join(room.cwd, name + extension))) ?? "x"}${extension}`;
  await writeFile(join(room.cwd, main), text);
  const { program, ...recording } = about.recording;
  const direct = language.command(join(place.cwd, main), {
    ...recording,
    // It may be installed in the project.
    program: program && inRoom(program, place),
  });
  const command = terminal ? inTerminal(direct) : direct;
  if (command === null) return null;
  const { CI: _, ...usual } = testEnvironment(process.env, place.cwd, settings.env);
  const env = terminal ? { ...usual, ...SESSION } : usual;
  await runCommand(command, {
    wrap: place.wrap,
    ...{ cwd: room.cwd, env, processes: settings.processes, scope: options.scope },
    ...{ signal: options.signal, timeoutMs: REPLAY_MS, graceMs: settings.graceMs },
    onStdout: () => {},
  });
  return readResults(output, place);
}

function callsFor({ recording }: Repetition, place: Place, recorder: string): Calls {
  const paths = recording.paths.map((path) => inRoom(path, place));
  return { root: place.cwd, recorder, calls: callsIn(place, recording), paths, delay: DELAY_MS };
}

async function readResults(file: string, place: Place): Promise<Results | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  return text === null ? null : JSON.parse(outOfRoom(text, place));
}
