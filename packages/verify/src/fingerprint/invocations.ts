import { isAbsolute, join } from "node:path";
import parse from "shell-quote/parse.js";
import type { ScriptOf } from "./scripts.ts";

/** A program that a command line starts, or may start, with the words behind it. */
export interface Invocation extends Place {
  program: string;
  args: readonly string[];
}

interface Place {
  folder: string;
  /** Where a package manager looks for programs first; null behind none. */
  bin: string | null;
}

type Env = Readonly<Record<string, string>>;

/**
 * Programs that start another one. Which of their words that is cannot be known without their options, so each of
 * them counts: a word that is no program is dropped later.
 */
const WRAPPERS = new Set(
  (
    "c8 nyc npx bunx pnpx env cross-env cross-env-shell dotenv time timeout nice nohup sudo xvfb-run stdbuf " +
    "exec command builtin uv poetry pdm hatch pipenv bundle coverage php if then else elif while until do ! {"
  ).split(" "),
);
/** They run the package's scripts of the names they are given, or command lines. */
const SCRIPT_WRAPPERS = /^(npm-run-all2?|run-s|run-p|concurrently)$/;
const MANAGERS = /^(npm|pnpm|yarn|bun|composer)$/;
const NODE_RUNNERS = /^(npx|bunx|pnpx)$/;
/** Options of package managers that name another folder. */
const FOLDER_OPTION = /^(-C|--dir|--prefix|--cwd|--working-dir)$/;
const SHELLS = /^(sh|bash|dash|zsh|ksh|busybox)$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** How deep scripts may call each other, and how many programs are followed. */
const DEPTH = 5;
const FOLLOWED = 200;
/** Words of a wrapper that may be a program. */
const WORDS = 100;

/** Everything that a command line starts as far as its text tells; scripts are followed, with their hooks. */
export function invocationsOf(
  command: string,
  cwd: string,
  env: Env,
  scriptOf: ScriptOf,
): Invocation[] {
  const found: Invocation[] = [];
  const followed = new Set<string>();

  function follow(text: string, start: Place, depth: number): void {
    let place = start;
    if (depth > DEPTH) return;
    for (const words of parseCommands(text, env)) {
      if (words[0] === "cd") place = { ...place, folder: within(place.folder, words[1] ?? "") };
      else invoke(words, place, depth);
    }
  }

  function followScript(manager: string, name: string, folder: string, depth: number): boolean {
    if (scriptOf(folder, manager, name) === undefined) return false;
    const id = [folder, manager, name].join("\0");
    if (followed.has(id)) return true;
    followed.add(id);
    for (const hook of [`pre${name}`, name, `post${name}`]) {
      const text = scriptOf(folder, manager, hook) ?? "";
      follow(text, { folder, bin: binOf(manager, folder) }, depth + 1);
    }
    return true;
  }

  /** The words of a wrapper all count already: one inside of it adds nothing. */
  function invoke(words: readonly string[], place: Place, depth: number, isWrapped = false): void {
    const first = words.findIndex((word) => !ASSIGNMENT.test(word));
    const [program = "", ...args] = first === -1 ? [] : words.slice(first);
    if (depth > DEPTH || found.length >= FOLLOWED) return;
    if (program === "" || program.startsWith("-")) return;
    found.push({ program, args, ...place });
    const name = programName(program);
    if (WRAPPERS.has(name)) {
      const bin = NODE_RUNNERS.test(name) ? binOf(name, place.folder) : place.bin;
      if (!isWrapped) invokeAny(args, { ...place, bin }, depth);
    } else if (MANAGERS.test(name)) {
      invokeManaged(name, args, place.folder, depth, isWrapped);
    } else if (SHELLS.test(name)) {
      const flag = args.findIndex((word) => /^-\w*c$/.test(word));
      if (flag !== -1) follow(args[flag + 1] ?? "", place, depth + 1);
    } else if (SCRIPT_WRAPPERS.test(name)) {
      for (const word of args.filter((one) => !one.startsWith("-"))) {
        const script = word.replace(/^(npm|pnpm|yarn|bun):/, "");
        if (!followScript("npm", script, place.folder, depth)) follow(word, place, depth + 1);
      }
    }
  }

  function invokeAny(words: readonly string[], place: Place, depth: number): void {
    for (const [at, word] of words.slice(0, WORDS).entries()) {
      if (found.length >= FOLLOWED) return;
      if (!ASSIGNMENT.test(word)) invoke(words.slice(at), place, depth + 1, true);
    }
  }

  /** `npm test`, `pnpm run x`, `yarn x`, `npm exec x`; bun's own `test` is no script. */
  function invokeManaged(
    manager: string,
    args: readonly string[],
    start: string,
    depth: number,
    isWrapped: boolean,
  ): void {
    if (manager === "bun" && args[0] === "test") return;
    const option = args.findIndex((word) => FOLDER_OPTION.test(word));
    const folder = option === -1 ? start : within(start, args[option + 1] ?? "");
    const words = args.filter((_, at) => option === -1 || at !== option + 1);
    const names = words.map((word) => (word === "t" || word === "tst" ? "test" : word));
    const at = names.findIndex((word) => scriptOf(folder, manager, word) !== undefined);
    const isExec = names.slice(0, Math.max(at, 0)).some((word) => /^(exec|x|dlx)$/.test(word));
    if (at !== -1 && !isExec) followScript(manager, names[at] ?? "", folder, depth);
    else if (!isWrapped) invokeAny(words, { folder, bin: binOf(manager, folder) }, depth);
  }

  follow(command, { folder: cwd, bin: null }, 0);
  return found;
}

function binOf(manager: string, folder: string): string {
  return manager === "composer"
    ? join(folder, "vendor", "bin")
    : join(folder, "node_modules", ".bin");
}

/** `/usr/bin/node`, `node.exe` and `node` are one name. */
export function programName(program: string): string {
  return program.replace(/^.*[/\\]/, "").replace(/\.(exe|cmd|bat|ps1)$/i, "");
}

function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** Longer command lines are read no further. */
const LENGTH = 10_000;

/** The words of every command that the shell would start for a text, without what is redirected. */
export function parseCommands(text: string, env: Env): string[][] {
  const lines = text.slice(0, LENGTH).replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) => commandsOfLine(line, env));
}

function commandsOfLine(line: string, env: Env): string[][] {
  const commands: string[][] = [[]];
  let redirected = false;
  for (const entry of entriesOf(line, env)) {
    const word = wordOf(entry);
    if (word !== null) {
      if (!redirected) commands.at(-1)?.push(word);
      redirected = false;
    } else if (typeof entry !== "string" && "op" in entry) {
      redirected = /^(&?>|[<>])[^(]*$/.test(entry.op);
      if (!redirected) commands.push([]);
    }
  }
  return commands.filter((words) => words.length > 0);
}

function wordOf(entry: parse.ParseEntry): string | null {
  if (typeof entry === "string") return entry;
  return "pattern" in entry ? entry.pattern : null;
}

/** Nothing for a line that no shell could read either. */
function entriesOf(line: string, env: Env): parse.ParseEntry[] {
  try {
    return parse(line, (name) => env[name] ?? "");
  } catch {
    return [];
  }
}
