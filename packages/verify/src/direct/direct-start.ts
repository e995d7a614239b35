import { stripVTControlCharacters } from "node:util";
import { DELAY_MS } from "../ordinary-program.ts";

/** A clean room whose tests are to be started directly. */
export interface DirectRoom {
  root: string;
  /** Lies outside of the room; programs of ours come there. */
  folder: string;
  /** A word of ours that nothing else in the room has. */
  token: string;
  /** The project's command, files with tests that pass under it, and what reports call their suites. */
  command: string;
  tests: readonly string[];
  suites: ReadonlySet<string>;
  /** Changed sources. */
  sources: readonly string[];
  /** Whether nobody is to find the files of the tests while these run; see `takesTests`. */
  isTaken: boolean;
  /** The time zone that the tests are started with, as in `TZ`; null where that is not known, or none. */
  zone: string | null;
  /** The text of a test file. */
  textOf: (path: string) => string;
  /** A room with the sources of the start as well: this one, where it is. */
  start: () => Promise<string>;
  /** A text with the room's path as the programs see it that are started. */
  shown: (text: string) => string;
  /** Runs a command in the room where it is, and gives what it prints … */
  run: (command: string) => Promise<string>;
  /** … and in the project's place, as the prepared command is run. */
  runInPlace: (command: string) => Promise<string>;
}

/** What the tests did, by the names that `nameOf` gives them. */
export interface DirectOutcome {
  passed: readonly string[];
  failed: readonly string[];
  /** Tests that failed otherwise than by an assertion, which may be for want of their runner. */
  unclear?: readonly string[];
  /** Suites that can be built only as for tests, or whose program did not come to its end. */
  broken?: readonly string[];
  /** Suites that cannot be built or loaded at all in this way. */
  unbuilt?: readonly string[];
  /** Why nothing was run. */
  reason?: string;
  /** What was not looked at, as a sentence. */
  note?: string;
}

/** `DELAY_MS` for so many programs; more of them together wait no longer than so many alone. */
const PROGRAMS = 8;

/** How long each of so many programs waits before its tests, in milliseconds; all of them together no longer than `most` alone. */
export function delayOf(programs: number, most = PROGRAMS): number {
  return Math.round(DELAY_MS / Math.max(1, programs / most));
}

export interface PreparedStart {
  /** A shell script, run in a terminal where one can be opened. Null where nothing can be started. */
  command: string | null;
  read: (output: string) => DirectOutcome;
}

/** How tests are started without their runner, or with the least of it. */
export interface DirectStart {
  /** Whether a file is in its language. */
  handles: (path: string) => boolean;
  /** Whether tests can run without their files. */
  takesTests?: true;
  /** Writes what it needs into `folder`, or into the room. */
  prepare: (about: DirectRoom) => Promise<PreparedStart>;
  /** What the test of an identity is called in the outcome; its bare name, unless given. */
  nameOf?: (id: string) => string;
}

/** What one program printed. */
export interface Printed {
  text: string;
  /** Names behind a word of ours. */
  of: (word: string) => string[];
  has: (word: string) => boolean;
}

/** The shell command that runs a program, with a mark in front of what it prints. */
export function marked(token: string, number: number, command: string): string {
  return `echo '${token} program ${number}'; ${command}`;
}

/** By their numbers; one that was not begun, for want of time, is not among them. */
export function programsIn(output: string, token: string): Map<number, Printed> {
  const plain = stripVTControlCharacters(output.replaceAll("\r", ""));
  const parts = plain.split(`${token} program `).slice(1);
  return new Map(
    parts.map((text) => {
      const lines = text.split("\n").filter((line) => line.startsWith(`${token} `));
      const words = lines.map((line) => line.slice(token.length + 1).trim());
      const of = (word: string) =>
        words
          .filter((line) => line.startsWith(`${word} `))
          .map((line) => line.slice(word.length + 1));
      return [Number.parseInt(text, 10), { text, of, has: (word) => words.includes(word) }];
    }),
  );
}

/** The outcome of programs with one suite each. One that was begun and did not come to its end is broken. */
export function outcomeOf(
  output: string,
  token: string,
  suites: readonly string[],
): Required<Pick<DirectOutcome, "passed" | "failed" | "unclear" | "broken" | "unbuilt">> {
  const programs = [...programsIn(output, token)];
  const all = (word: string) => programs.flatMap(([, program]) => program.of(word));
  const suitesWith = (isMeant: (program: Printed) => boolean) =>
    programs.flatMap(([n, program]) => (isMeant(program) ? (suites[n] ?? []) : []));
  return {
    ...{ passed: all("passed"), failed: all("failed"), unclear: all("unclear") },
    broken: suitesWith(({ has }) => !has("end") && !has("unbuilt")),
    unbuilt: suitesWith(({ has }) => has("unbuilt")),
  };
}
