import { stripVTControlCharacters } from "node:util";
import type { DirectOutcome } from "./direct-start.ts";

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
