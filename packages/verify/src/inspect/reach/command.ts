/** One program that a command line starts. */
export interface Call {
  /** The folder it runs in, relative to the project, with `/`; empty for the project itself. */
  folder: string;
  words: string[];
}

const SEPARATORS = /&&|\|\||[;|&\n]/;
/** What stands in front of a program and starts it unchanged. */
const WRAPPER =
  /^(?:cross-env|cross-env-shell|env|npx|bunx|time|command|exec|dotenv|c8|nyc|--|if|then|else|do|!|sudo|nice|xvfb-run|coverage|run|-p|--yes|-y|[A-Za-z_]\w*=.*)$/;

/** The programs of a command line, or of a script of the shell, in order. `cd` counts for those behind it. */
export function callsOf(text: string, start: string): Call[] {
  const calls: Call[] = [];
  let folder = start;
  for (const part of text.replaceAll(/\\\n/g, " ").split(SEPARATORS)) {
    if (/^\s*#/.test(part)) continue;
    const words = wordsOf(part);
    while (words[0] !== undefined && WRAPPER.test(words[0])) words.shift();
    if (words.length === 0) continue;
    if (words[0] === "cd" || words[0] === "pushd") folder = joinPath(folder, words[1] ?? "");
    else calls.push({ folder, words });
  }
  return calls;
}

function wordsOf(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'()])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, "").replace(/^[@-]?(?=\$\()/, ""));
}

/** A path relative to the project; what leads out of it is left as it is. */
export function joinPath(folder: string, path: string): string {
  if (path.startsWith("/")) return path;
  const parts: string[] = [];
  for (const step of `${folder}/${path}`.split("/")) {
    if (step === "..") parts.pop();
    else if (step !== "." && step !== "") parts.push(step);
  }
  return parts.join("/");
}

const MANAGER = /^(?:npm|pnpm|yarn|bun|deno|composer|lerna|turbo|nx|rush|moon)$/;
const MANY =
  /^(?:-r|--recursive|--workspaces|-ws|--filter(?:=.*)?|-F|-w|--workspace(?:=.*)?|workspaces?|foreach|--parallel|run-many|affected|--all|-A)$/;
/** Words of a package manager that start no script. */
const NO_SCRIPT =
  /^(?:exec|dlx|x|add|remove|audit|config|publish|pack|link|create|init|why|list|ls|outdated|info|view|cache|version)$/;
const INSTALL = /^(?:install|i|ci|install-test|it|cit|install-ci-test)$/;

/** Scripts that a call starts by name; a `*` stands for anything. `everywhere`: in every package of a workspace. */
export interface ScriptCall {
  folder: string;
  name: string;
  everywhere: boolean;
}

export function scriptsOf({ folder, words }: Call): ScriptCall[] {
  const [program = "", ...rest] = words;
  const names: string[] = [];
  const { at, plain } = splitOptions(folder, rest);
  const everywhere =
    rest.some((word) => MANY.test(word)) || /^(?:lerna|turbo|nx|rush|moon)$/.test(program);
  if (/^(?:run-s|run-p|npm-run-all2?|concurrently|wsrun)$/.test(program)) {
    names.push(...plain.map((word) => word.replace(/^(?:npm|pnpm|yarn|bun):/, "")));
  } else if (program === "node" && rest.includes("--run")) names.push(plain[0] ?? "");
  else if (MANAGER.test(program)) {
    const verbs = plain.filter((word) => !RUN.test(word));
    if (!NO_SCRIPT.test(verbs[0] ?? "")) {
      for (const verb of everywhere ? verbs : verbs.slice(0, 1)) names.push(...scriptNames(verb));
    }
  }
  return names.filter(Boolean).map((name) => ({ folder: at, name, everywhere }));
}

const RUN = /^(?:run|run-script|workspaces?|foreach|task|run-many|affected)$/;
const FOLDER_OPTION = /^(?:--prefix|-C|--cwd|--dir)$/;

/** The words that are no options, and the folder that an option names. */
function splitOptions(folder: string, words: readonly string[]): { at: string; plain: string[] } {
  let at = folder;
  const plain = words.filter((word, index) => {
    const given = /^(?:--prefix|--cwd|--dir)=(.*)$/.exec(word)?.[1];
    const isValue = FOLDER_OPTION.test(words[index - 1] ?? "");
    if (given !== undefined || isValue) at = joinPath(folder, given ?? word);
    return !isValue && !word.startsWith("-");
  });
  return { at, plain };
}

function scriptNames(verb: string): string[] {
  if (/^(?:t|tst)$/.test(verb)) return ["test"];
  if (/^(?:it|install-test|cit|install-ci-test)$/.test(verb)) return ["test", "install", "prepare"];
  return INSTALL.test(verb) ? ["install", "prepare", "prepublish"] : [verb];
}

const INTERPRETER =
  /^(?:(?:ba|z|da|k)?sh|node|nodejs|deno|bun|tsx|ts-node|esno|jiti|python[\d.]*|pypy3?|ruby|php|perl|pwsh|powershell|source|\.|uv|poetry|pdm|hatch|pipenv|bundle|rake|make|gmake|java|groovy|kotlin|bats|busted|lua|elixir|julia|Rscript)$/;
/** Options whose value is a file that decides how tests run. */
const FILE_OPTION =
  /^(?:-c|--config(?:-file|File)?|-r|--require|--import|--loader|--experimental-loader|--setup(?:Files)?|--setupFilesAfterEnv|--globalSetup|--global-setup|--preload|--reporter|--reporters|--environment|--env|--file|-f|--makefile|--rcfile|--rootdir|--bootstrap|--configuration|--settings|--options-file|--init-file|--test-reporter|--runner|--testRunner|--transform|-p|--project|--env-file|--env-file-if-exists|--tsconfig|--plugin|--prepend|-I)$/;

/** Words of a call that may be files that decide how the tests run, as paths relative to the project. */
export function filesOf({ folder, words }: Call): string[] {
  const found: string[] = [];
  const [program = ""] = words;
  if (/[./]/.test(program)) found.push(program);
  let open = INTERPRETER.test(program);
  words.slice(1).forEach((word, index) => {
    const option = /^(--?[\w-]+)=(.*)$/.exec(word);
    const before = words[index] ?? "";
    if (option) {
      if (FILE_OPTION.test(option[1] ?? "")) found.push(option[2] ?? "");
    } else if (FILE_OPTION.test(before) || /^(?:--?(?:import|require|loader))$/.test(before))
      found.push(word);
    else if (before === "-m") found.push(...moduleFiles(word));
    else if (open && !word.startsWith("-")) {
      found.push(word);
      // The first word is the program, the others what it is given.
      open = /^(?:run|exec|test)$/.test(word) || INTERPRETER.test(word);
    }
  });
  return found.filter((word) => /^[\w@./+-]+$/.test(word)).map((word) => joinPath(folder, word));
}

function moduleFiles(name: string): string[] {
  const path = name.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`];
}
