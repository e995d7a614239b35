import { resolve } from "node:path";
import { isInside } from "@ccw-loop/processes/plain-file";

/** Anything whose meaning only the shell knows: expansions, substitutions, home, another folder. */
const OPAQUE = /[$`~]|(?:^|[\s;&|(])(?:cd|pushd|eval|exec|sudo|su|xargs|env)(?=\s|$)/;

const SYSTEM_PROGRAM = /^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.-]+$/;

/**
 * True when a shell script, run in `cwd`, plainly names nothing outside of `root`. A guard rail for runs
 * without a sandbox, where nothing else stands between a careless `rm -rf` and the rest of the machine; no
 * wall against malice.
 */
export function namesOnlyInside(root: string, cwd: string, script: string): boolean {
  if (OPAQUE.test(script)) return false;
  return commandsIn(script).every((words) => {
    if (words === null) return false;
    const [program = "", ...rest] = words;
    const judged = SYSTEM_PROGRAM.test(program) ? rest : words;
    return judged.every(
      (word) => word === "/dev/null" || isInside(root, resolve(cwd, pathIn(word))),
    );
  });
}

/** True when a word of a shell script, run in `cwd`, plainly names one of the folders or something in it. */
export function namesProtected(folders: readonly string[], cwd: string, script: string): boolean {
  const words = commandsIn(script).flatMap((found) => found ?? []);
  const paths = words.map((word) => resolve(cwd, pathIn(word)));
  return paths.some((path) => folders.some((folder) => isInside(folder, path)));
}

/** The words of each command of a script; null for one with an open quote. */
function commandsIn(script: string): (string[] | null)[] {
  return script.split(/[;&|\n]+/).map((command) => shellWords(command.replaceAll(/[<>()]/g, " ")));
}

/** `--output=../x` names `../x`. */
function pathIn(word: string): string {
  const [, value] = /^-[^=]*=(.*)$/.exec(word) ?? [];
  return value ?? word;
}

/** The words of a shell command, quotes resolved; null when a quote is never closed. */
export function shellWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? "";
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === "\\" && (quote === null || '"\\$`\n'.includes(text[i + 1] ?? ""))) {
      i += 1;
      word = (word ?? "") + (text[i] ?? "");
    } else if (quote === '"') {
      if (char === '"') quote = null;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}

/** The script that Codex hands to a shell, without the shell: `/bin/bash -lc 'node test'` → `node test`. */
export function plainCommand(command: string): string {
  const words = shellWords(command);
  const [shell = "", flags = "", script] = words ?? [];
  const wrapped = words?.length === 3 && /\b(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(flags);
  return wrapped && script !== undefined ? script : command;
}
