import { readdir } from "node:fs/promises";
import { type CheckOptions, shellWord } from "@ccw-loop/core";
import type { RunSettings } from "@ccw-loop/test-runner";
import { type RunPlace, worksHere } from "@ccw-loop/test-runner/clean-room";
import { runCommand, testEnvironment } from "@ccw-loop/test-runner/process";

/** What asks how long it has been running is asked when that is long ago, in milliseconds. */
export const DELAY_MS = 3500;

/** What else tells a program that a person has typed its name; tests see none of it. */
const LOGIN_SESSION = {
  SHLVL: "1",
  OLDPWD: "/",
  SHELL: "/bin/bash",
  LS_COLORS: "di=01;34",
  SSH_CONNECTION: "127.0.0.1 50000 127.0.0.1 22",
  XDG_SESSION_ID: "1",
};

interface UserRun {
  /** A folder of the room, and how the command sees it. */
  cwd: string;
  place: RunPlace;
  /** In the session of a person who has logged in. */
  login: boolean;
  options: CheckOptions;
  settings: RunSettings;
  timeoutMs: number;
  onStdout?: (chunk: Buffer) => void;
}

/** Runs a command without what the environment says of a test run. */
export async function runAsUser(command: string, run: UserRun): Promise<void> {
  const { cwd, place, login, options, settings, timeoutMs, onStdout = () => {} } = run;
  const { scope, signal } = options;
  const {
    CI: _,
    CCW_LOOP_DRIVES: __,
    ...env
  } = testEnvironment(process.env, place.cwd, settings.env);
  await runCommand(command, {
    ...settings,
    ...{ cwd, scope, signal, timeoutMs, onStdout },
    wrap: place.wrap?.(cwd),
    env: login ? { ...env, ...LOGIN_SESSION } : env,
  });
}

/** The command line that runs a command in a terminal of its own; null where nothing can open one. */
export function inTerminal(command: string): string | null {
  // As on Linux; elsewhere `script` takes no command.
  const opens = worksHere(["script", "-qec", "test -t 1", "/dev/null"]);
  // As wide as people have it: one that was just opened is 0 columns wide.
  const sized = `stty rows 24 cols 80; ${command}`;
  return opens ? `script -qec ${shellWord(sized)} /dev/null` : null;
}

/** Names that any program can have. */
export const PROGRAM_NAMES = [
  "app",
  "server",
  "client",
  "worker",
  "console",
  "daemon",
  "portal",
  "cmd",
];

/** The first word that no name in these folders begins with, and that is free otherwise. */
export async function unusedName(
  folders: readonly string[],
  isFree: (word: string) => boolean,
): Promise<string> {
  const names = (
    await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))
  ).flat();
  const found = PROGRAM_NAMES.find(
    (word) => isFree(word) && !names.some((name) => name.startsWith(word)),
  );
  return found ?? `our${names.length}`;
}
