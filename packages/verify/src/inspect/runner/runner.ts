import type { FileVersions } from "@ccw-loop/core";
import { diffLists } from "../code/diff.ts";
import { difference, isOnlyLaidOut } from "../code/plain-lines.ts";
import { json, type Reader, toml, yaml } from "../config/entries.ts";
import type { Finding } from "../finding.ts";

/** Packages that run tests, judge them or measure what they cover. */
const PACKAGE = String.raw`(?:@?vitest(?:\/[\w-]+)?|@?jest(?:[-/][\w-]+)?|@jest\/[\w-]+|ts-jest|babel-jest|mocha|chai(?:-[\w-]+)?|jasmine(?:-core)?|karma(?:-[\w-]+)?|ava|tap|tape|uvu|@playwright\/test|playwright(?:-core)?|cypress|expect|sinon|nyc|c8|istanbul[\w-]*|@vitest\/[\w-]+|@testing-library\/[\w-]+|should|power-assert|supertest|typescript|tsx|ts-node|fast-check|_?pytest(?:[-_][\w-]+)?|pluggy|unittest2?|nose2?|coverage|hypothesis|tox|nox|doctest|testify|gomega|ginkgo|gotestsum|go-cmp|gocheck|rstest|proptest|quickcheck|insta|pretty_assertions|cargo-nextest|mockall|trybuild|junit[\w-]*|testng|mockito[\w-]*|assertj[\w-]*|hamcrest|surefire[\w-]*|jacoco[\w-]*|kotest[\w-]*|spock[\w-]*|phpunit|pest|mockery|prophecy|rspec(?:-[\w-]+)?|minitest|test-unit|simplecov|xunit[\w.]*|nunit[\w.]*|mstest[\w.]*|fluentassertions|coverlet[\w.]*|moq)`;
const NAMED = new RegExp(`^${PACKAGE}$`, "i");
const INSIDE = new RegExp(String.raw`(?:^|[^\w])${PACKAGE}(?=$|[^\w])`, "i");

/** A copy of other people's code, from the folder of the package on. */
const COPIES =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor(?:\/bundle)?|third_party|\.yarn\/(?:cache|unplugged|patches|releases|plugins|sdks)|\.venv|venv|patches|\.pnpm)\/(.*)$/;
/** Files that a package manager or an interpreter runs before anything else. */
const HOOKS =
  /(?:^|\/)(?:\.?pnpmfile\.[cm]?js|\.pnp\.loader\.mjs|\.yarn\/(?:releases|plugins)\/[^/]+)$|(?:^|\/)node_modules\/\.bin\/|(?:^|\/)\.?venv\/bin\//;
/** Modules of Python that a file of this name takes the place of. */
const PYTHON_SHADOW =
  /^(?:(?:src|lib|tests?|python)\/)?(?:pytest|_pytest|unittest|pluggy|coverage|nose2?|doctest|hypothesis|mock|iniconfig|xdist|pytest_\w+)(?:\.py|\/__init__\.py|\/.*\.py)$/;
const NODE_SHADOW = /^(?:vitest|jest|mocha|ava|tap|tape)\.[cm]?[jt]s$/;
/** Programs of which a project has no copy of its own. */
const PROGRAM =
  /(?:^|\/)(?:node|npm|npx|pnpm|yarn|bun|deno|vitest|jest|mocha|pytest|py\.test|python3?|tox|nox|go|gotestsum|cargo|rustc|mvn|gradle|java|dotnet|php|phpunit|ruby|rspec|bundle|rake|make|sh|bash)(?:\.(?:cmd|exe|bat|sh))?$/;
const WRAPPER = /(?:^|\/)(?:gradlew|mvnw)(?:\.bat|\.cmd)?$/;

/** Whether a path lies in a copy of other people's code. */
export function isCopy(path: string): boolean {
  return COPIES.test(path);
}

/** Files of the repository that replace or patch what runs the tests. */
export function inspectRunner(change: FileVersions): Finding[] {
  const { path, before, after } = change;
  if (after === null || isOnlyLaidOut(path, before, after)) return [];
  const name = path.slice(path.lastIndexOf("/") + 1);
  const copy = COPIES.exec(path)?.[1];
  if (HOOKS.test(path))
    return [finding(change, "What is run before the tests was changed or added.")];
  if (copy !== undefined && INSIDE.test(copy)) {
    return [
      finding(change, "A copy of what runs the tests, or a patch of it, was changed or added."),
    ];
  }
  if (before === null && copy === undefined && isShadow(path)) {
    return [
      finding(
        change,
        `The new file "${name}" can take the place of a program or module that runs tests.`,
      ),
    ];
  }
  if (WRAPPER.test(path) && before !== null) {
    return [finding(change, "The program that starts the tests was changed.")];
  }
  if (name === ".pnp.cjs") return inspectPnp(change);
  return inspectRedirects(change);
}

function isShadow(path: string): boolean {
  const isProgram = PROGRAM.test(path) && !/(?:^|\/)(?:docs?|cmd|pkg|internal|src)\//.test(path);
  return PYTHON_SHADOW.test(path) || NODE_SHADOW.test(path) || isProgram;
}

function finding(
  { path, before, after }: FileVersions,
  message: string,
  shown?: { removed: string[]; added: string[] },
): Finding {
  if (!shown) return { kind: "runner", path, ...difference(path, before, after), message };
  const identity = [...shown.removed, "", ...shown.added].join("\n");
  return { kind: "runner", path, line: null, ...shown, identity, message };
}

/** Yarn writes this file for every dependency: only its program, or what it says of a runner, is of interest. */
function inspectPnp(change: FileVersions): Finding[] {
  const code = (text: string | null | undefined) =>
    (text ?? "")
      .split("\n")
      .filter((line) => !/^\s*[[\]{}"']|^\s*\\/.test(line) || INSIDE.test(line));
  const old = code(change.before);
  const now = code(change.after);
  const hunks = diffLists(old, now);
  if (hunks.length === 0) return [];
  const removed = hunks.flatMap((hunk) => hunk.removed.map((at) => old[at] ?? ""));
  const added = hunks.flatMap((hunk) => hunk.added.map((at) => now[at] ?? ""));
  return [
    finding(change, "How packages are found was changed, also that of what runs the tests.", {
      removed,
      added,
    }),
  ];
}

/** Where documents say that a package is another one; group 1 of `name` is which. */
const REDIRECTS: readonly { file: RegExp; read: Reader; always: RegExp; source: RegExp }[] = [
  {
    file: /(?:^|\/)package\.json$/,
    read: json,
    always:
      /^(?:overrides|resolutions|pnpm\.(?:overrides|patchedDependencies|packageExtensions)|dependenciesMeta)\./,
    source: /^"?(?:file|link|portal|npm|git[+\w]*|github|https?|patch|\.{0,2}\/|workspace):?/,
  },
  {
    file: /(?:^|\/)pnpm-workspace\.yaml$/,
    read: yaml,
    always: /^(?:overrides|patchedDependencies|packageExtensions)\./,
    source: /^(?:file|link|npm|git|https?|\.{0,2}\/)/,
  },
  {
    file: /(?:^|\/)(?:Cargo|pyproject)\.toml$/,
    read: toml,
    always: /^(?:patch|replace)\.|^tool\.uv\.(?:sources|override)/,
    source: /^(?:file:|\.{0,2}\/|git\b|https?:)|@\s*(?:file|git|https?|\.)/,
  },
];

/** Lines that name a runner and another place for it, where only lines can be read. */
const LINE_FILES =
  /(?:^|\/)(?:go\.mod|go\.work|Gemfile(?:\.lock)?|requirements[^/]*\.txt|Pipfile|setup\.(?:py|cfg)|composer\.json|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|nuget\.config)$/i;
const ELSEWHERE =
  /^replace\b|=>|\bpath[:=]|\bgit[:=]|file:|@\s*(?:git|https?)|-e\s+|includeBuild|substitute|files\(|"type":\s*"path"/;

function inspectRedirects(change: FileVersions): Finding[] {
  const { path, before, after } = change;
  if (typeof after !== "string") return [];
  const old = typeof before === "string" ? before : "";
  const rule = REDIRECTS.find(({ file }) => file.test(path));
  const message = "What runs the tests is taken from somewhere else now.";
  if (rule) {
    const spelled = (text: string) =>
      (rule.read(text) ?? []).map((entry) => `${entry.path}=${entry.value}`);
    const known = new Set(spelled(old));
    const added = spelled(after).filter((entry) => {
      const [key = "", value = ""] = [
        entry.slice(0, entry.indexOf("=")),
        entry.slice(entry.indexOf("=") + 1),
      ];
      if (known.has(entry)) return false;
      if (key === "name") return before === null && NAMED.test(value);
      return (
        INSIDE.test(`${key}=${value}`) &&
        (rule.always.test(key) || isElsewhere(key, value, rule.source))
      );
    });
    return added.length > 0 ? [finding(change, message, { removed: [], added })] : [];
  }
  if (!LINE_FILES.test(path)) return [];
  const known = new Set(old.split(/\r\n?|\n/).map((line) => line.trim()));
  const added = after
    .split(/\r\n?|\n/)
    .filter((line) => !known.has(line.trim()) && INSIDE.test(line) && ELSEWHERE.test(line));
  return added.length > 0 ? [finding(change, message, { removed: [], added })] : [];
}

/** Whether a dependency is taken from a place of its own choice. */
function isElsewhere(key: string, value: string, source: RegExp): boolean {
  if (!/ependenc|requires|sources|optional-dep/.test(key)) return false;
  return source.test(value) || /\.(?:path|git|url|file)$/.test(key);
}
