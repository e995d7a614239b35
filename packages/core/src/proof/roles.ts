import type { FileChange } from "../ports/workspace.ts";
import { fitsPath } from "./test-ids.ts";

/**
 * Changed files by their role in the proof. Every path is in exactly one list, but those in `likelySources` and `doubtfulPrograms`,
 * which are in `doubtful` as well.
 */
export interface Roles {
  /** Laid over the start for the verdict. */
  sources: string[];
  /** Never laid over: what judges, and what it compares with. */
  tests: string[];
  /** May be sources or tests: left out of the verdict at first, and tried with it where it fails. */
  doubtful: string[];
  /**
   * Doubtful files that no tool looks for by their names. They count as sources if the start's tests give the same
   * results with these files alone laid over the start.
   */
  likelySources: string[];
  /**
   * Doubtful programs of the start that no tool looks for by their names. They count as sources if the tests use
   * nothing else of the project.
   */
  doubtfulPrograms: string[];
  /** Sources that hold tests of their own: laid over, and their tests compared by text. */
  both: string[];
  /** The operator allowed them to be changed: their present form counts in every cell. */
  allowed: string[];
}

/** What is known beside the names of the changed files. */
export interface RoleFacts {
  /** Files in which the reports of the present place tests. */
  testFiles: ReadonlySet<string>;
  /** Those of the baseline that hold nothing but tests: no tests inside of a source. */
  startTestFiles: ReadonlySet<string>;
  /**
   * Files in which assertions failed at the start: tests or helpers of tests, or sources that check their own input.
   */
  assertingFiles: ReadonlySet<string>;
  /** Every path of the start, to tell a file that shadows another one. */
  startPaths: ReadonlySet<string>;
  /**
   * Files whose text names that file, a program also without its ending, at the start where it was there; null where not all
   * of them could be looked into.
   */
  namedIn: (path: string) => readonly string[] | null;
  /** Files whose text has the folder of that data file in quotes, or its name with parts left open; at the same time. */
  pointedAtBy: (path: string) => readonly string[];
  /** These, and files in whose text its name, or that of its folder, stands anywhere. */
  mentionedIn: (path: string) => readonly string[];
  /** Programs of the start whose text refers to that one by its place; none where not all could be looked into. */
  usedBy: (path: string) => readonly string[];
  /** Whether a file without a known ending says by its first line (`#!`) that it is run as a program. */
  isScript: (path: string) => boolean;
  /** Whether a source file holds tests of its own. */
  holdsTests: (path: string) => boolean;
  /** Paths, or patterns with `*`, that the operator allowed to be changed. */
  allowed: readonly string[];
}

const CODE =
  /\.([cm]?[jt]sx?|vue|svelte|py|pyx|rb|php|rs|go|javas?|java|kts?|scala|groovy|cs|fs|vb|swift|exs?|erl|lua|c|h|cc|cpp|cxx|hpp|mm?|zig|hs|ml|clj[cs]?|dart|sh|bash|zsh|ksh|fish|pl|pm|raku|r|jl|tcl|awk|sed|ps1|nim|cr|coffee|elm|rkt|lisp|el|f90|f95|pas|adb|ads|gd|sol)$/i;

/** Files that runners and people call tests, fixtures and snapshots, in any language. */
const TEST_NAME =
  /(^|\/)(tests?|__tests__|specs?|e2e|__snapshots__|__mocks__|__fixtures__|fixtures?|testdata)\/|(^|\/)src\/[A-Za-z]*[tT]est\/|(^|[/._-])(test|spec|cy)\.\w+$|(^|\/)(tests|specs)\.\w+$|(^|\/)test_[^/]*$|_(test|spec)\.\w+$|(^|\/)conftest\.py$|(Test|Tests|IT|Spec)\.(java|kt|scala|groovy|cs|fs|vb|php)$|\.(snap|bats|feature)$/;

/** Formats in which programs are configured, and in which tools that build and install say what with. */
const CONFIGURATION =
  /\.(json[5c]?|ya?ml|toml|xml|ini|cfg|conf|config|properties|plist|dist|lock|mod|sum|work|gemspec|sbt|props|targets|\w+proj|sln|build|cmake|bazel|bzl|nix)$|(^|\/)(\w*file|CMakeLists\.txt|(requirements|constraints)[^/]*\.txt|BUILD|WORKSPACE)$/i;

/** Code that runs around the tests rather than under them: configuration, helpers, build steps, start-up files. */
const TEST_SUPPORT =
  /(^|\/)\.[^/]|(^|\/)(support|helpers?|test-?utils?|testing|tools?|scripts?|config|build|mocks?|ci|node_modules|vendor|patches)\/|(^|[/.])\w*(config|setup|environment|reporter|register|preload)\.[cm]?[jt]sx?$|(^|\/)(sitecustomize|usercustomize|setup|noxfile|build)\.(py|rs)$|(^|\/)(Gulp|Grunt|Rake|Make)file|\.(gradle|mk)$/;

/** What runners, build tools and interpreters look for by its name. */
const FOUND_BY_TOOLS =
  /(^|\/)\.[^/]|(^|\/)(node_modules|vendor|patches|ci)\/|[.-](config|conf|workspace|setup|environment|reporter|register|preload)\.\w+$|(^|\/)(package|composer|deno|[tj]sconfig)[^/]*$|(^|\/)(sitecustomize|usercustomize|setup|noxfile|build)\.(py|rs)$|(^|\/)\w*file$/i;

/** What is installed, which names no program of the project. */
const LOCKFILE = /(^|[/-])lock\.\w+$|\.lock$/i;

/** Configuration in which programs keep their own data too. */
const MAY_BE_DATA = /\.(json|ya?ml)$/i;

/** Whether a path is named like a test, a fixture or a snapshot. */
export function hasTestName(path: string): boolean {
  return TEST_NAME.test(path);
}

/** Whether a path is named like code that runs around the tests: a configuration, a helper, a build step. */
export function hasSupportName(path: string): boolean {
  return TEST_SUPPORT.test(path);
}

/** Whether a text has a word that is no part of a longer one, also not of one with hyphens. */
export function hasWord(text: string, word: string): boolean {
  const escaped = word.replaceAll(/[^\w-]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text);
}

/** Whether a path has the ending of a programming language or of what is compiled into a program. */
export function isCode(path: string): boolean {
  return CODE.test(path);
}

/** Whether a path is named like what a program is made of: no test, and nothing that says how it is built, run or tested. */
export function mayBeTested(path: string): boolean {
  return !TEST_NAME.test(path) && !CONFIGURATION.test(path) && !FOUND_BY_TOOLS.test(path);
}

/**
 * The roles of the changed files, from a small table of names, the reports of the runners, and what shadows another
 * file. Whatever is not plainly a source is a test or doubtful: a mistake then costs a question, and never lets a false
 * proof pass.
 */
export function rolesOf(changes: readonly FileChange[], facts: RoleFacts): Roles {
  const roles: Roles = {
    sources: [],
    tests: [],
    doubtful: [],
    likelySources: [],
    doubtfulPrograms: [],
    both: [],
    allowed: [],
  };
  for (const change of changes) roles[roleOf(change, facts)].push(change.path);
  roles.likelySources = roles.doubtful.filter((path) => canBeTried(path, facts));
  roles.doubtfulPrograms = roles.doubtful.filter(
    (path) => CODE.test(path) && !FOUND_BY_TOOLS.test(path) && facts.startPaths.has(path),
  );
  return roles;
}

function roleOf(
  { path, kind }: FileChange,
  facts: RoleFacts,
): Exclude<keyof Roles, "likelySources" | "doubtfulPrograms"> {
  if (facts.allowed.some((pattern) => fitsPath(pattern, path))) return "allowed";
  if (TEST_NAME.test(path)) return "tests";
  if (facts.startTestFiles.has(path)) return "tests";
  if (facts.testFiles.has(path)) return kind === "added" ? "tests" : "both";
  const mayJudge = TEST_SUPPORT.test(path) || facts.assertingFiles.has(path);
  if (mayJudge && !isUsedBySources(path, facts)) return "doubtful";
  if (!CODE.test(path) && !facts.isScript(path))
    return isData(path, facts) ? "sources" : "doubtful";
  if (kind === "added" && shadowsExistingFile(path, facts.startPaths)) return "doubtful";
  return facts.holdsTests(path) ? "both" : "sources";
}

/**
 * Whether a file without code is data of the sources: they alone name it, or find it under a name that they put together and
 * nothing else mentions it, and it is no configuration where runners look for theirs, which is the top of the project and every
 * folder above a test.
 */
function isData(path: string, facts: RoleFacts): boolean {
  if (/(^|\/)\./.test(path)) return false;
  if (CONFIGURATION.test(path) && liesAboveTests(path, facts)) return false;
  return isNamedBySourcesAlone(path, facts) || isFoundBySourcesAlone(path, facts);
}

function isFoundBySourcesAlone(path: string, facts: RoleFacts): boolean {
  const counts = (file: string) => isTestFile(file, facts) || CODE.test(file);
  return (
    facts.pointedAtBy(path).some((file) => isSource(file, facts)) &&
    facts.mentionedIn(path).every((file) => !counts(file) || isSource(file, facts))
  );
}

function isNamedBySourcesAlone(path: string, facts: RoleFacts): boolean {
  const isTest = (file: string) => isTestFile(file, facts);
  // Tests name the code that they test, and configurations what is loaded before. Other data, and what only people read, may hold any word.
  const counts = CODE.test(path)
    ? (file: string) => !isTest(file) && (CODE.test(file) || CONFIGURATION.test(file))
    : (file: string) => isTest(file) || CODE.test(file);
  const by = facts.namedIn(path)?.filter((file) => file !== path && counts(file)) ?? [];
  return by.length > 0 && by.every((file) => isSource(file, facts));
}

/**
 * Whether only its name makes a program doubtful: sources of the start need it, as they do one of any other name, no configuration
 * names it, and no tool looks for it.
 */
function isUsedBySources(path: string, facts: RoleFacts, above: readonly string[] = []): boolean {
  if (!CODE.test(path) || FOUND_BY_TOOLS.test(path)) return false;
  const isConfiguration = (file: string) =>
    !CODE.test(file) && CONFIGURATION.test(file) && !LOCKFILE.test(file);
  if (facts.namedIn(path)?.some(isConfiguration) ?? true) return false;
  const users = facts.usedBy(path).filter((file) => file !== path && !above.includes(file));
  return users.some(
    (file) =>
      isSource(file, facts) ||
      (!isTestFile(file, facts) && isUsedBySources(file, facts, [...above, path])),
  );
}

/** Whether only the name of its folder or its format makes it doubtful: sources alone name it, and no tool looks for it. */
function canBeTried(path: string, facts: RoleFacts): boolean {
  const mayBe = CODE.test(path) ? TEST_SUPPORT.test(path) : MAY_BE_DATA.test(path);
  return mayBe && !FOUND_BY_TOOLS.test(path) && isNamedBySourcesAlone(path, facts);
}

function isSource(path: string, facts: RoleFacts): boolean {
  return CODE.test(path) && !TEST_SUPPORT.test(path) && !isTestFile(path, facts);
}

function isTestFile(path: string, { testFiles }: RoleFacts): boolean {
  return TEST_NAME.test(path) || testFiles.has(path);
}

function liesAboveTests(path: string, { startPaths, testFiles }: RoleFacts): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const isAbove = (test: string) => test.startsWith(folder);
  return (
    folder === "" ||
    [...testFiles].some(isAbove) ||
    [...startPaths].some((other) => TEST_NAME.test(other) && isAbove(other))
  );
}

/** A new file beside one of the same name with another ending, or with the name of a module of Python's own library. */
function shadowsExistingFile(path: string, startPaths: ReadonlySet<string>): boolean {
  const stem = path.replace(/\.[^./]+$/, "");
  const sibling = [...startPaths].some(
    (other) =>
      other !== path && (other.replace(/\.[^./]+$/, "") === stem || other.startsWith(`${stem}/`)),
  );
  return (
    sibling ||
    (/^(src\/)?[a-z_]+\.py$/.test(path) && PYTHON_MODULES.has(stem.replace(/^src\//, "")))
  );
}

/** Modules of the standard library that test runners import and a file of the project would replace. */
const PYTHON_MODULES = new Set(
  (
    "abc argparse ast asyncio atexit base64 bdb bisect builtins calendar cmd code codecs collections configparser contextlib copy csv " +
    "ctypes dataclasses datetime decimal difflib dis doctest email enum errno faulthandler fnmatch fractions functools gc getopt glob " +
    "hashlib heapq html http importlib inspect io itertools json keyword linecache locale logging math mimetypes numbers operator os " +
    "pathlib pdb pickle pkgutil platform pprint queue random re reprlib runpy secrets select shlex shutil signal site socket sqlite3 " +
    "statistics string struct subprocess sys sysconfig tempfile textwrap threading time timeit token tokenize tomllib traceback types " +
    "typing unicodedata unittest urllib uuid warnings weakref xml zipfile"
  ).split(" "),
);
