import type { RunnerName } from "./table.ts";

/** What stands in front of a runner and starts it unchanged. */
const WRAPPERS: readonly RegExp[] = [
  /^(cross-env|c8|nyc|npx|bunx|time|env)$/,
  /^--(yes|no-install|no|bun)$/,
  /^[A-Za-z_][A-Za-z0-9_]*=\S*$/,
];
const EXEC = /^(pnpm|yarn|npm)\s+exec\s+(--\s+)?|^(uv|poetry|pdm|hatch|pipenv)\s+run\s+/;
/** Anything that makes the end of the text not the end of the runner's arguments. */
const SHELL_SYNTAX = /[|;<>`()#\n\\]|\$\(|(^|[^&])&([^&]|$)/;

/**
 * The runner whose arguments end a command line, or `exit-code` when that is not certain: only then can
 * arguments be added at the end.
 */
export function runnerOf(command: string): RunnerName | "exit-code" {
  if (SHELL_SYNTAX.test(command)) return "exit-code";
  const last = command.split("&&").at(-1)?.trim() ?? "";
  if (!isBalanced(last)) return "exit-code";
  const words = last.replace(EXEC, "").split(/\s+/);
  while (words.length > 0 && WRAPPERS.some((wrapper) => wrapper.test(words[0] ?? "")))
    words.shift();
  if (/^(yarn|pnpm)$/.test(words[0] ?? "")) words.shift();
  return runnerOfWords(words);
}

function runnerOfWords([first = "", ...rest]: string[]): RunnerName | "exit-code" {
  const has = (...flags: string[]) =>
    rest.some((word) => flags.some((flag) => word === flag || word.startsWith(`${flag}=`)));
  switch (first.replace(/^.*[/\\]/, "").replace(/\.(m?js|cmd|exe)$/, "")) {
    case "vitest":
      return has("--outputFile", "bench", "list", "--") ? "exit-code" : "vitest";
    case "jest":
      return has("--outputFile", "--json", "--") ? "exit-code" : "jest";
    case "mocha":
    case "_mocha":
      return has("--reporter", "-R", "--reporter-option", "-O", "--") ? "exit-code" : "mocha";
    case "node":
      return runnerOfNode(rest, has);
    case "pytest":
    case "py.test":
      return has("--junitxml", "--junit-xml") ? "exit-code" : "pytest";
    case "python":
    case "python3":
      return rest[0] === "-m" && rest[1] === "pytest" ? runnerOfWords(rest.slice(1)) : "exit-code";
    case "go":
      return rest[0] === "test" ? "go" : "exit-code";
    case "mvn":
    case "mvnw":
      return "maven";
    case "gradle":
    case "gradlew":
      return "gradle";
    default:
      return "exit-code";
  }
}

/** `node --test …`, or `node [flags] node_modules/.bin/jest …`. */
function runnerOfNode(
  words: string[],
  has: (...flags: string[]) => boolean,
): RunnerName | "exit-code" {
  if (has("--test")) return has("--test-reporter", "--watch") ? "exit-code" : "node-test";
  const program = words.findIndex((word) => !word.startsWith("-"));
  const runner = runnerOfWords(program === -1 ? [] : words.slice(program));
  return runner === "jest" || runner === "vitest" || runner === "mocha" ? runner : "exit-code";
}

function isBalanced(text: string): boolean {
  return [`"`, `'`].every((quote) => text.split(quote).length % 2 === 1);
}
