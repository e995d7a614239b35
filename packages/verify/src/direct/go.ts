import { mkdir, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { unusedName } from "../ordinary-program.ts";
import {
  type DirectOutcome,
  type DirectRoom,
  type DirectStart,
  delayOf,
  marked,
  programsIn,
} from "./direct-start.ts";
import { goImports, goLibrary, goMain, ordinarySource } from "./go-program.ts";

/** Longer files have no names that matter. */
const LONGEST = 1024 * 1024;
const EXTERNAL = /^package \w+_test\b/m;
const MAIN_CALL = /(?<![\w.])main\(\)/g;

interface Package {
  /** As reports name it. */
  path: string;
  name: string;
  folder: string;
  /** By their names. */
  texts: ReadonlyMap<string, string>;
  word: string;
  /** Options of the command that say what is built. */
  options: string;
}

/** A program that may be started, and whether it prints its results by marks of ours. */
interface Program {
  path: string;
  command: string;
  isOurs: boolean;
}

/**
 * Go's tests in two ways: the program that holds a package's tests, under another name and without the arguments that
 * `go test` gives it; and, for what asks whether such a program runs, their functions in ordinary programs.
 */
export const GO: DirectStart = {
  handles: (path) => path.endsWith(".go"),
  async prepare(given) {
    // As Go names it.
    const about = { ...given, root: await realpath(given.root) };
    const programs: Program[] = [];
    const packages = await packagesOf(about);
    const delay = delayOf(packages.length);
    for (const one of packages) {
      programs.push(programOfTests(one));
      programs.push(...(await ordinaryPrograms({ ...about, delay }, one)));
    }
    const commands = programs.map(({ command }, n) =>
      command.replace("START", () => marked(about.token, n, "exec")),
    );
    return {
      command: commands.length > 0 ? commands.join("\n") : null,
      read: (output) => outcomeIn(output, about.token, programs),
    };
  },
};

async function packagesOf({ root, command, suites, run }: DirectRoom): Promise<Package[]> {
  const enter = /^\s*cd\s+[^&;|]+&&/.exec(command)?.[0] ?? "";
  const options = [...command.matchAll(/\s-(?:tags|mod|modfile)[= ]\S+/g)].join("");
  const listed = await run(
    `${enter} go list -e${options} -f '{{.Dir}}|{{.ImportPath}}|{{.Name}}' ./...`,
  );
  const found: Package[] = [];
  for (const line of listed.split("\n")) {
    const [folder = "", path = "", name = ""] = line.trim().split("|");
    if (!suites.has(path) || relative(root, folder).startsWith("..")) continue;
    const texts = new Map<string, string>();
    const entries = await readdir(folder);
    for (const entry of entries) {
      const about = await stat(join(folder, entry)).catch(() => null);
      if (!about?.isFile() || about.size > LONGEST) continue;
      texts.set(entry, await readFile(join(folder, entry), "utf8"));
    }
    const all = [...texts.values()].join("\n");
    const word = await unusedName(
      [folder],
      (free) => !new RegExp(`\\b(?:to)?${free}(?![a-z])`).test(all),
    );
    found.push({ ...{ path, name: name.replace(/_test$/, ""), folder, texts, word, options } });
  }
  return found;
}

function programOfTests({ path, folder, word, options }: Package): Program {
  const build = `go test -c${options} -o ${word} .`;
  const command = `(cd '${folder}' && ${build} && [ -x ${word} ] && ( START ./${word} ); rm -f ${word})`;
  return { path, command, isOurs: false };
}

/** One for the tests in the package, and one for those beside it. Their sources are laid over the folder as it is. */
async function ordinaryPrograms(
  { folder: ours, root, token, shown, delay }: DirectRoom & { delay: number },
  { path, name, folder, texts, word, options }: Package,
): Promise<Program[]> {
  const place = join(ours, relative(root, folder).replaceAll("/", "-") || "top");
  const overlay = `${place}.json`;
  await mkdir(place, { recursive: true });
  const replace: Record<string, string> = {};
  const lay = async (file: string, text: string) => {
    const copy = join(place, file.replaceAll("/", "-"));
    await writeFile(copy, text);
    replace[join(folder, file)] = copy;
  };
  const library = `${path}/${word}/list`;
  const isMain = name === "main";
  const tests = [...texts].filter(([file]) => file.endsWith("_test.go"));
  const outside = tests.filter(([, text]) => EXTERNAL.test(text));
  const inside = tests.filter(([, text]) => !EXTERNAL.test(text));
  const plain = (file: string) => `${word}${file.replace(/_test\.go$/, ".go")}`;
  const ownMain = (text: string) => (isMain ? text.replaceAll(MAIN_CALL, `${word}Main()`) : text);
  for (const [file, text] of inside) {
    await lay(plain(file), ownMain(ordinarySource(text, word, "inside")));
  }
  for (const [file, text] of texts) {
    const isSource = file.endsWith(".go") && !file.endsWith("_test.go");
    if (isSource && ownMain(text) !== text) await lay(file, ownMain(text));
  }
  for (const [file, text] of outside) {
    const program = text.replace(EXTERNAL, "package main");
    await lay(`${word}/web/${plain(file)}`, ordinarySource(program, word, "outside"));
  }
  await lay(`${word}/list/list.go`, goLibrary("list", { token, delay }));
  const glue = { word, library };
  await lay(`${word}.go`, goImports(name, { ...glue, program: isMain ? "inside" : null }));
  await lay(`${word}/main.go`, goMain(path, { library, program: "inside" }));
  await lay(`${word}/web/main.go`, goImports("main", { ...glue, program: "outside" }));
  await writeFile(overlay, shown(JSON.stringify({ Replace: replace })));
  const programAt = (target: string): Program => {
    const build = `go build -buildvcs=false${options} -overlay '${overlay}' -o ${word}/${word} ${target}`;
    const command = `(cd '${folder}' && mkdir -p ${word} && ${build} && { START ./${word}/${word}; })`;
    return { path, command, isOurs: true };
  };
  return [
    ...(inside.length > 0 ? [programAt(isMain ? "." : `./${word}`)] : []),
    ...(outside.length > 0 ? [programAt(`./${word}/web`)] : []),
  ];
}

/**
 * What cannot be built says nothing; what was begun and did not come to its end is broken. A program of tests shows who asks
 * for its name and arguments, and that a test passes there says no more.
 */
function outcomeIn(output: string, token: string, programs: readonly Program[]): DirectOutcome {
  const found = { passed: [] as string[], failed: [] as string[], broken: [] as string[] };
  for (const [n, { text, of, has }] of programsIn(output, token)) {
    const program = programs[n];
    if (!program) continue;
    const reported = [...text.matchAll(/^\s*--- FAIL: ([^\s/]+)/gm)].map(([, name = ""]) => name);
    found.passed.push(...of("passed"));
    found.failed.push(...of("failed"), ...(program.isOurs ? [] : reported));
    const isWhole = program.isOurs ? has("end") : /(?:PASS|FAIL)$/m.test(text);
    if (!isWhole) found.broken.push(program.path);
  }
  return found;
}
