import type { RunnerName } from "./table.ts";

/** The words behind a program's name, and whether one of them is, or begins, a flag. */
type Rule = (words: string[], has: (...flags: string[]) => boolean) => RunnerName;

/** What stands in front of a runner and starts it unchanged. */
const WRAPPERS: readonly RegExp[] = [
  /^(cross-env|c8|nyc|npx|bunx|time|env)$/,
  /^--(yes|no-install|no|bun)$/,
  /^[A-Za-z_][A-Za-z0-9_]*=\S*$/,
];
const EXEC =
  /^(pnpm|yarn|npm)\s+exec\s+(--\s+)?|^(uv|poetry|pdm|hatch|pipenv)\s+run\s+|^bundle\s+exec\s+/;
/** Anything that makes the end of the text not the end of the runner's arguments. */
const SHELL_SYNTAX = /[|;<>`()#\n\\]|\$\(|(^|[^&])&([^&]|$)/;

const MAVEN_TESTS =
  /^(test|integration-test|verify|package|install|deploy|surefire:test|failsafe:\S+)$/;
const MAVEN_SKIP = /^-D(skipTests|maven\.test\.skip)\b/;
const GRADLE_TESTS = /(^|:)(test|check|build|\w+Test|test\w+)$/;

const RUBY_TEST = /(^|[/\\])([^/\\]+_test|test_[^/\\]+)\.rb$/;

const RULES: Readonly<Record<string, Rule>> = {
  vitest: unless("vitest", "--outputFile", "bench", "list", "--"),
  jest: unless("jest", "--outputFile", "--json", "--"),
  mocha: () => "mocha",
  ava: () => "ava",
  tap: unless("tap", "--output-file", "-o", "list", "report", "config", "build", "plugin"),
  tape: () => "tape",
  uvu: () => "uvu",
  borp: () => "borp",
  tsx: (words, has) => only(runnerOfNode(words, has), "node-test"),
  _mocha: (words, has) => rule("mocha")(words, has),
  playwright: after("test", unless("playwright", "--reporter", "--list", "--ui", "--")),
  bun: after("test", unless("bun", "--reporter", "--watch", "--")),
  node: runnerOfNode,
  pytest: unless("pytest", "--junitxml", "--junit-xml", "--collect-only", "--co"),
  "py.test": (words, has) => rule("pytest")(words, has),
  python: runnerOfPython,
  go: after("test", unless("go", "-c", "-list")),
  cargo: runnerOfCargo,
  mvn: naming(MAVEN_TESTS, (words) =>
    words.some((word) => MAVEN_SKIP.test(word)) ? "script" : "maven",
  ),
  gradle: naming(GRADLE_TESTS, unless("gradle", "-x", "--exclude-task", "-m", "--dry-run")),
  dotnet: after("test", unless("dotnet", "--results-directory", "-r", "--list-tests", "-t", "--")),
  phpunit: unless("phpunit", "--log-junit", "--list-tests", "--"),
  pest: (words, has) => rule("phpunit")(words, has),
  php: (words) => only(runnerOfWords(words), "phpunit"),
  rspec: unless("rspec", "--dry-run", "--init"),
  bats: unless("bats", "--formatter", "-F", "--pretty", "-p", "--count", "-c"),
  prove: unless("prove", "--dry", "-D"),
  ctest: unless(
    "ctest",
    "--output-junit",
    "-N",
    "--show-only",
    "-S",
    "--script",
    "-D",
    "--dashboard",
  ),
  rails: (words) => (words[0]?.startsWith("test") ? "minitest" : "script"),
  ruby: naming(RUBY_TEST, () => "minitest"),
};

/**
 * The runner whose arguments end a command line, so that more can be added at the end; `script` where that is not
 * certain.
 */
export function runnerOf(command: string): RunnerName {
  if (SHELL_SYNTAX.test(command)) return "script";
  const last = command.split("&&").at(-1)?.trim() ?? "";
  if (!isBalanced(last)) return "script";
  const words = last.replace(EXEC, "").split(/\s+/);
  while (words.length > 0 && WRAPPERS.some((wrapper) => wrapper.test(words[0] ?? "")))
    words.shift();
  if (/^(yarn|pnpm)$/.test(words[0] ?? "")) words.shift();
  return runnerOfWords(words);
}

function runnerOfWords([first = "", ...rest]: string[]): RunnerName {
  const program = first.replace(/^.*[/\\]/, "").replace(/\.(m?js|cmd|exe|bat)$/, "");
  const name = program.replace(/^python[\d.]+$/, "python").replace(/^(mvn|gradle)w$/, "$1");
  const has = (...flags: string[]) =>
    rest.some((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)));
  return rule(name)(rest, has);
}

function rule(name: string): Rule {
  return (Object.hasOwn(RULES, name) ? RULES[name] : undefined) ?? (() => "script");
}

function isBalanced(text: string): boolean {
  return [`"`, `'`].every((quote) => text.split(quote).length % 2 === 1);
}

/** By a rule, where this is the first word. */
function after(word: string, rule: Rule): Rule {
  return (words, has) => (words[0] === word ? rule(words, has) : "script");
}

/** By a rule, where one of the words is like this. */
function naming(pattern: RegExp, rule: Rule): Rule {
  return (words, has) => (words.some((word) => pattern.test(word)) ? rule(words, has) : "script");
}

/** The runner, but not where one of these flags asks for something else, or for a report. */
function unless(runner: RunnerName, ...flags: string[]): Rule {
  return (_, has) => (has(...flags) ? "script" : runner);
}

function only(found: RunnerName, ...runners: RunnerName[]): RunnerName {
  return runners.some((runner) => runner === found) ? found : "script";
}

/** `node --test …`, or `node [flags] node_modules/.bin/jest …`. */
function runnerOfNode(words: string[], has: (...flags: string[]) => boolean): RunnerName {
  if (has("--test")) return has("--test-reporter", "--watch") ? "script" : "node-test";
  const program = words.findIndex((word) => !word.startsWith("-"));
  const runner = runnerOfWords(program === -1 ? [] : words.slice(program));
  return only(runner, "jest", "vitest", "mocha", "ava", "playwright");
}

/** `python -m pytest …` or `-m unittest …`, behind flags that keep PYTHONPATH. */
function runnerOfPython(words: string[]): RunnerName {
  const at = words.findIndex((word) => !/^-([BbduOqsvx]+|[WX]\S+)$/.test(word));
  const [flag, module, ...rest] = at === -1 ? [] : words.slice(at);
  if (flag !== "-m") return "script";
  if (module === "unittest") return "unittest";
  return module === "pytest" ? runnerOfWords(["pytest", ...rest]) : "script";
}

function runnerOfCargo(words: string[], has: (...flags: string[]) => boolean): RunnerName {
  const [command, second] = words[0]?.startsWith("+") ? words.slice(1) : words;
  if (command === "nextest") {
    return /^(run|r)$/.test(second ?? "") && !has("--no-run") ? "nextest" : "script";
  }
  // What changes the text that is read.
  const other = ["--no-run", "--list", "-q", "--quiet", "--nocapture", "--no-capture", "--format"];
  const changed = has(...other, "-Z", "--message-format", "--logfile", "--help", "-h");
  return /^(test|t)$/.test(command ?? "") && !changed ? "cargo" : "script";
}
