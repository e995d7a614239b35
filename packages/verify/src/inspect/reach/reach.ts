import { isTestFile } from "../../files/test-files.ts";
import { type Call, callsOf, filesOf, joinPath, scriptsOf } from "./command.ts";
import { linesFor } from "./make.ts";
import { fits, scriptsIn } from "./scripts.ts";

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
        // What a test takes in is what it tests.
        if (isTestFile(file)) continue;
        if (SHELL.test(file)) waiting.push({ text, folder: call.folder });
        else
          for (const other of importsOf(file, text))
            if (read(other) !== null) reach.files.add(other);
      }
      const made = followMake(call, read);
      if (made) {
        put(reach.targets, made.folder, made.targets);
        for (const file of made.includes) reach.files.add(file);
        waiting.push({ text: made.text, folder: made.folder });
      }
    }
  }
  return reach;
}

const MAKEFILES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile"],
};

interface Target {
  folder: string;
  targets: string;
  /** What is run for them. */
  text: string;
  /** Other files that hold rules. */
  includes: string[];
}

/** What make and its like do; undefined for other programs. */
function followMake({ words, folder }: Call, read: ReadText): Target | undefined {
  const from = words[0] === "bundle" ? 2 : 0;
  const program = words[from] ?? "";
  const elsewhere = words.indexOf("-C");
  const at = elsewhere === -1 ? folder : joinPath(folder, words[elsewhere + 1] ?? "");
  const targets = words
    .slice(from + 1)
    .filter((word, index) => /^\w[\w:.-]*$/.test(word) && words[from + index] !== "-C");
  for (const file of MAKEFILES[program] ?? []) {
    const text = read(joinPath(at, file));
    if (text === null) continue;
    const isMake = /file$/i.test(file) && program !== "rake";
    const lines = isMake ? linesFor(text, targets).map(({ value }) => value) : [];
    return {
      folder: at,
      targets: targets.join(" "),
      text: lines.map((line) => line.replace(/^[@-]+/, "")).join("\n"),
      includes: lines.flatMap((line) => {
        const path = /^-?(?:include|import)\s+["']?([\w./-]+)/.exec(line)?.[1];
        return path === undefined ? [] : [joinPath(at, path)];
      }),
    };
  }
  return undefined;
}

/** Files that a script takes in from beside it or below. */
function importsOf(file: string, text: string): string[] {
  const folder = file.split("/").slice(0, -1).join("/");
  const found = text
    .slice(0, 200_000)
    .matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.\/[^"']+)["']/g);
  return [...found].map(([, path = ""]) => joinPath(folder, path));
}
