import { basename, resolve } from "node:path";
import { readScript, type ShellCommand, SYSTEM_PROGRAM } from "./shell-script.ts";

/** What a script plainly names. Paths are absolute, links not followed. */
export interface NamedPaths {
  all: readonly string[];
  /** Of these, the ones that it removes or moves away. */
  removed: readonly string[];
  /** What of it only the shell knows, as the end of "it …"; null where all of it is plain. */
  opaque: string | null;
}

/** So many folders a script may be in; nobody needs more, and each `cd` can double them. */
const MOST_FOLDERS = 32;

/**
 * The paths that a shell script names, run in `cwd`, in every folder that it may be in at some time: nobody follows its
 * branches and subshells. Null when those are too many. A guard rail where nothing else stands between a careless
 * `rm -rf` and the rest of the machine; no wall against malice.
 */
export function namedPaths(cwd: string, script: string): NamedPaths | null {
  const named: Found = { all: new Set(), removed: new Set(), opaque: null };
  return read(script, new Set([cwd]), named)
    ? { ...named, all: [...named.all], removed: [...named.removed] }
    : null;
}

interface Found {
  all: Set<string>;
  removed: Set<string>;
  opaque: string | null;
}

/** Adds to what was found, and to the folders that a script may be in; false when those are too many. */
function read(text: string, folders: Set<string>, found: Found): boolean {
  const { commands, opaque } = readScript(text);
  found.opaque ??= opaque;
  for (const { words } of commands) {
    const [program, target] = words;
    if (program !== "cd" || target === undefined) continue;
    for (const folder of [...folders]) folders.add(resolve(folder, target));
    if (folders.size > MOST_FOLDERS) return false;
  }
  for (const command of commands) addPaths(command, folders, found);
  return commands.every(({ inner }) => inner === null || read(inner, folders, found));
}

function addPaths({ words }: ShellCommand, folders: ReadonlySet<string>, found: Found): void {
  const [program = ""] = words;
  const judged = SYSTEM_PROGRAM.test(program) ? words.slice(1) : words;
  for (const folder of folders) {
    const named = (some: readonly string[]) =>
      some.flatMap(pathsIn).map((path) => resolve(folder, path));
    for (const path of named(judged)) found.all.add(path);
    for (const path of named(removedBy(judged, basename(program)))) found.removed.add(path);
  }
}

/** The words that may name what a command takes away; what is moved goes to the last one. */
function removedBy(words: readonly string[], program: string): readonly string[] {
  const programs = [program, ...words.map((word) => basename(word))];
  if (programs.includes("rm") || programs.includes("rmdir")) return words;
  return programs.includes("mv") ? words.slice(0, -1) : [];
}

/** Where a path may begin inside of a word of code, or of what is sent: `open('/x')`, `@/x`. A blank makes prose of it. */
const QUOTED = /[@'"`([{]/;
/** What an option may hold: `-Wl,-rpath,/x`. */
const IN_OPTION = /[=:,]/;
/** Behind a name: `of=/x`, `host:/x`. An expression such as `s/a=/b=/` has none there. */
const NAMED = /(?<=(?:^|[,=:])[-\w.]+[=:])[^,=:]+/g;
const URL = /\b(?!file:)[a-z][a-z\d+.-]*:\/\/\S*/gi;

/** Every path that a word may name: it as a whole, and wherever one begins in it, behind an option's letters, too. */
function pathsIn(word: string): string[] {
  if (word === "/dev/null") return [];
  const plain = word.replaceAll(URL, "");
  const held = plain.startsWith("-") ? plain.split(IN_OPTION) : (plain.match(NAMED) ?? []);
  const pieces = [...plain.split(QUOTED), ...held];
  const values = pieces.map((piece) => piece.replace(/^-+\w*/, ""));
  return [word, ...pieces, ...values].filter((path) => path !== "");
}
