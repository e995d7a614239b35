import { resolve } from "node:path";
import { isInside } from "../plain-file.ts";

/** Programs whose arguments are programs, folders or rights that only they know. */
const OPAQUE_PROGRAMS = new Set(["pushd", "eval", "exec", "sudo", "su", "xargs", "env"]);

const SYSTEM_PROGRAM = /^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.-]+$/;

/**
 * True when a shell script, run in `cwd`, plainly names nothing outside of `root`. A guard rail for runs
 * without a sandbox, where nothing else stands between a careless `rm -rf` and the rest of the machine; no
 * wall against malice.
 */
export function namesOnlyInside(root: string, cwd: string, script: string): boolean {
  const read = readScript(script);
  if (read === null || read.isOpaque) return false;
  const folders = foldersOf(read.commands, cwd);
  return read.commands.every((words) => {
    const [program = "", ...rest] = words;
    if (words.some((word) => OPAQUE_PROGRAMS.has(word)) || goesElsewhere(words)) return false;
    const judged = SYSTEM_PROGRAM.test(program) ? rest : words;
    const inner = innerScripts(words);
    return (
      judged.every((word) => word === "/dev/null" || isEachInside(root, pathsIn(word, folders))) &&
      inner.every((one) => folders.every((folder) => namesOnlyInside(root, folder, one)))
    );
  });
}

function isEachInside(root: string, paths: readonly string[]): boolean {
  return paths.every((path) => isInside(root, path));
}

/** True when a word of a shell script, run in `cwd`, plainly names one of the folders or something in it. */
export function namesProtected(
  protectedFolders: readonly string[],
  cwd: string,
  script: string,
): boolean {
  const { commands } = readScript(script) ?? { commands: [] };
  const folders = foldersOf(commands, cwd);
  const paths = commands.flat().flatMap((word) => pathsIn(word, folders));
  const inner = commands.flatMap(innerScripts);
  return (
    paths.some((path) => protectedFolders.some((folder) => isInside(folder, path))) ||
    inner.some((one) => folders.some((folder) => namesProtected(protectedFolders, folder, one)))
  );
}

const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh$/;

/** What a command gives to a shell as its script. */
function innerScripts(words: readonly string[]): string[] {
  const shell = words.findIndex((word) => SHELL.test(word));
  const flag = shell < 0 ? -1 : words.findIndex((word, i) => i > shell && /^-\w*c$/.test(word));
  const script = flag < 0 ? undefined : words[flag + 1];
  return script === undefined ? [] : [script];
}

/** Every folder that a script may be in at some time: nobody follows its branches and subshells. */
function foldersOf(commands: readonly string[][], cwd: string): string[] {
  const folders = new Set([cwd]);
  for (const [program, target] of commands) {
    if (program !== "cd" || target === undefined) continue;
    for (const folder of [...folders]) folders.add(resolve(folder, target));
  }
  return [...folders];
}

/** `cd` without a folder, back to an earlier one, or where it is not the first word of a command. */
function goesElsewhere(words: readonly string[]): boolean {
  const at = words.indexOf("cd");
  return at > 0 || (at === 0 && (words.length !== 2 || words[1]?.startsWith("-") === true));
}

/** `--output=../x` names `../x`. */
function pathsIn(word: string, folders: readonly string[]): string[] {
  const [, value] = /^-[^=]*=(.*)$/.exec(word) ?? [];
  return folders.map((folder) => resolve(folder, value ?? word));
}

interface Script {
  /** The words of each command, quotes resolved; what it reads from and writes to is among them. */
  commands: string[][];
  /** Something in it means what only the shell knows: an expansion, a substitution, a home. */
  isOpaque: boolean;
}

const SEPARATOR = /[;&|\n()]/;
const BETWEEN_WORDS = /[\s<>]/;

/** The commands of a shell script; null when a quote is never closed. */
function readScript(text: string): Script | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  let isOpaque = false;
  const endWord = () => {
    if (word !== null) words.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? "";
    const next = text[i + 1] ?? "";
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === "\\" && (quote === null || '"\\$`\n'.includes(next))) {
      i += 1;
      word = (word ?? "") + next;
    } else if (quote === '"' && char === '"') {
      quote = null;
    } else if (quote === null && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (quote === null && SEPARATOR.test(char)) {
      endCommand();
    } else if (quote === null && BETWEEN_WORDS.test(char)) {
      endWord();
    } else {
      isOpaque ||= char === "`" || (char === "$" && !"?!#$".includes(next || "x"));
      isOpaque ||= char === "~" && quote === null;
      word = (word ?? "") + char;
    }
  }
  if (quote !== null) return null;
  endCommand();
  return { commands, isOpaque };
}

/** The words of a shell command, quotes resolved; null when a quote is never closed. */
export function shellWords(text: string): string[] | null {
  return readScript(text)?.commands.flat() ?? null;
}

/** The script that an agent hands to a shell, without the shell: `/bin/bash -lc 'node test'` → `node test`. */
export function plainCommand(command: string): string {
  const words = shellWords(command);
  const [shell = "", flags = "", script] = words ?? [];
  const wrapped = words?.length === 3 && /\b(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(flags);
  return wrapped && script !== undefined ? script : command;
}
