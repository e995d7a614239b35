import { type Call, callsOf, filesOf, joinPath, scriptsOf } from "./command.ts";
import { linesFor } from "./make.ts";

/** Everything that a test command starts, as far as the project's files tell. */
export interface Reach {
  /** Every command line, joined. */
  commands: string;
  /** Scripts of a package.json or composer.json by the file's path; `*` for those of every package. */
  scripts: Map<string, Set<string>>;
  /** Files that are named to decide how the tests run. */
  files: Set<string>;
  /** Targets that make, just, task or rake are called with, by the folder. */
  targets: Map<string, Set<string>>;
}

/** A file of the project as text, null where it is not there. */
export type ReadText = (path: string) => string | null;

const MOST_COMMANDS = 400;
const SHELL = /\.(?:sh|bash|zsh|bats)$|(?:^|\/)[^./]+$/;

/** Follows a test command through scripts, shell scripts and makefiles. */
export function reachOf(command: string, read: ReadText): Reach {
  const reach: Reach = { commands: "", scripts: new Map(), files: new Set(), targets: new Map() };
  const waiting: { text: string; folder: string }[] = [{ text: command, folder: "" }];
  const seen = new Set<string>();
  const put = (map: Map<string, Set<string>>, key: string, value: string) => {
    map.set(key, (map.get(key) ?? new Set()).add(value));
  };
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (seen.has(`${next.folder}\0${next.text}`) || seen.size > MOST_COMMANDS) continue;
    seen.add(`${next.folder}\0${next.text}`);
    reach.commands += `${next.text}\n`;
    for (const call of callsOf(next.text, next.folder)) {
      for (const { folder, name, everywhere } of scriptsOf(call)) {
        const names = [name, `pre${name}`, `post${name}`];
        for (const file of ["package.json", "composer.json", "deno.json"]) {
          const path = joinPath(folder, file);
          for (const one of names) put(reach.scripts, everywhere ? "*" : path, one);
          const scripts = scriptsIn(read(path));
          for (const [key, text] of scripts) {
            if (names.some((one) => fits(one, key))) waiting.push({ text, folder });
          }
        }
      }
      for (const file of filesOf(call)) {
        const text = read(file);
        if (text === null || reach.files.has(file)) continue;
        reach.files.add(file);
        if (SHELL.test(file)) waiting.push({ text, folder: call.folder });
        else
          for (const other of importsOf(file, text))
            if (read(other) !== null) reach.files.add(other);
      }
      followMake(call, read, (target, text) => {
        put(reach.targets, call.folder, target);
        if (text !== "") waiting.push({ text, folder: call.folder });
      });
    }
  }
  return reach;
}

/** Whether a script's name is one that is called, where a `*` stands for anything. */
export function fits(called: string, name: string): boolean {
  if (!called.includes("*")) return called === name;
  const [start = "", end = ""] = called.split(/\*+/, 2);
  return name.startsWith(start) && name.endsWith(end);
}

/** The scripts of a package.json, composer.json or deno.json. */
export function scriptsIn(text: string | null): [string, string][] {
  try {
    const { scripts = {}, tasks = {} } = JSON.parse(text ?? "{}") as Record<string, object>;
    return Object.entries({ ...scripts, ...tasks }).map(([name, value]) => [
      name,
      (Array.isArray(value) ? value : [value])
        .map((one) =>
          typeof one === "string"
            ? one.replace(/^@(?:php |composer )?/, "composer run ")
            : JSON.stringify(one),
        )
        .map((one, _, all) => (all.length === 1 && typeof value === "string" ? value : one))
        .join(" && "),
    ]);
  } catch {
    return [];
  }
}

const MAKEFILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile"],
};

function followMake(
  call: Call,
  read: ReadText,
  found: (target: string, text: string) => void,
): void {
  const program = call.words[0] === "bundle" ? call.words[2] : call.words[0];
  const files = MAKEFILES[program ?? ""];
  if (!files) return;
  const targets = call.words
    .slice(1)
    .filter((word) => /^[\w:.-]+$/.test(word) && !word.startsWith("-"));
  for (const file of files) {
    const text = read(joinPath(call.folder, file));
    if (text === null) continue;
    const lines = /file$/i.test(file) && program !== "rake" ? linesFor(text, targets) : [];
    found(targets.join(" "), lines.map(({ value }) => value.replace(/^[@-]+/, "")).join("\n"));
    return;
  }
}

/** Files that a script takes in from beside it or below. */
function importsOf(file: string, text: string): string[] {
  const folder = file.split("/").slice(0, -1).join("/");
  const found = text
    .slice(0, 200_000)
    .matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.\/[^"']+)["']/g);
  return [...found].map(([, path = ""]) => joinPath(folder, path));
}
