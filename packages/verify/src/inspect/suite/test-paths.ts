import { isTestFile } from "../../files/test-files.ts";
import { languageOf } from "../code/languages.ts";

/** Names of test files that `isTestFile` leaves out because only a few tools go by them. */
const MORE_TESTS =
  /(?:^|\/)(?:tests?|specs?)\.(?:[cm]?[jt]sx?|py|rb|php|rs|go)$|(?:^|\/)(?:test_[^/]*|[^/]*_(?:test|unittest))\.(?:c|cc|cpp|cxx|php|exs|jl|lua)$|(?:^|\/)[^/]*(?:Test|Tests|Spec)\.(?:php|swift|m|cpp|java|kt|cs|scala|groovy)$/;

/** What Node takes for tests; among sources these are names like any other. */
const NODE_TESTS = /(?:^|\/)(?:test|spec)-[^/]*\.[cm]?[jt]sx?$|-test\.[cm]?[jt]sx?$/;
const SOURCES = /(?:^|\/)(?:src|lib|app)\//;

/** Folders of what tests compare with. */
const DATA_FOLDER =
  /(?:^|\/)(?:testdata|test[-_]data|test[-_]?resources|fixtures?|__fixtures__|goldens?|expected(?:[-_]outputs?)?|baselines?|approvals|recordings|__recordings__|snapshots?|__snapshots__|cassettes|__image_snapshots__|[^/]*-snapshots)\//i;
const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests__|e2e|integration[-_]tests?|[tT]ests?|src\/\w*[tT]est\/resources)\//;
const SNAPSHOT = /\.(?:snap|snapshot|ambr|golden|approved\.\w+|verified\.\w+|received\.\w+)$/;
/** In a test folder, but nothing that tests compare with. */
const NO_DATA =
  /(?:^|\/)(?:README|CHANGELOG|LICENSE|CONTRIBUTING)[^/]*$|\.(?:md|mdx|rst|adoc)$|(?:^|\/)(?:requirements[^/]*\.txt|package(?:-lock)?\.json|[jt]sconfig[^/]*\.json|[^/]*\.lock|pyproject\.toml|go\.(?:mod|sum)|Cargo\.toml|\.[^/]*|[^/]*\.csproj|Dockerfile[^/]*|[^/]*\.gradle(?:\.kts)?|pom\.xml)$/;

/** Code of tests, or of what helps them, by its path. */
export function isTestCode(path: string): boolean {
  if (SNAPSHOT.test(path)) return false;
  if (languageOf(path) === undefined) return false;
  return (
    isTestFile(path) || MORE_TESTS.test(path) || (NODE_TESTS.test(path) && !SOURCES.test(path))
  );
}

/** A file in a folder of what tests compare with, whatever its name. */
export function isFixture(path: string): boolean {
  if (SNAPSHOT.test(path)) return true;
  const isTest = /\.(?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$/.test(path);
  return DATA_FOLDER.test(path) && (languageOf(path) === undefined || !isTest);
}

/** A file that tests compare with, or read. */
export function isTestData(path: string): boolean {
  if (isFixture(path)) return true;
  return TEST_FOLDER.test(path) && languageOf(path) === undefined && !NO_DATA.test(path);
}

/** How a test runner finds a file by its name; the same for two paths that are found alike. */
export function conventionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const suffix =
    /(?:[._-](?:test|spec|e2e|unittest)|(?:Test|Tests|IT|Spec)|_(?:windows|linux|darwin|unix|js|wasm|plan9|freebsd)_test)?\.[\w.]+$/.exec(
      name,
    )?.[0] ?? "";
  const prefix = /^(?:test[_-])/.exec(name)?.[0] ?? "";
  const aside =
    /(?:^|\/)(?:\.[^/]+|node_modules|archived?|old|disabled|skip(?:ped)?|deprecated|attic|unused|backup|trash|broken|todo|docs?|examples?|vendor|dist|build|target|resources|testdata)\/|(?:^|\/)[._][^/]*\.go$/i.test(
      path,
    );
  const folder = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|src\/\w*[tT]est)\//.test(path);
  return `${prefix}*${suffix.replace(/\.\w+$/, "")} ${aside ? "aside" : ""} ${folder && prefix === "" && !/[._A-Z]/.test(suffix[0] ?? "") ? "folder" : ""}`;
}

/** Every pattern of one of these is in test code. */
const TEST_TEXT: readonly (readonly RegExp[])[] = [
  [
    /\bfrom\s+["'](?:vitest|node:test|@jest\/globals|bun:test|ava|tap|tape|uvu|@playwright\/test)["']|\brequire\(["'](?:node:test|tape|tap|ava|uvu)["']\)/,
  ],
  [/\b(?:it|test)(?:\.\w+)?\(\s*["'`]/, /\bexpect\(|\bassert\b/],
  [/^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest)\b/m, /^[ \t]*(?:async[ \t]+)?def[ \t]+test/m],
  [/^[ \t]*@(?:Test|ParameterizedTest)\b/m],
  [/^[ \t]*\[(?:Fact|Theory|Test|TestCase|TestMethod)\b/m],
  [/\bextends[ \t]+(?:\w+\\)*TestCase\b/],
  [
    /^[ \t]*(?:RSpec\.)?describe[ \t].*\bdo[ \t]*$|<[ \t]*(?:Minitest::Test|ActiveSupport::TestCase|Test::Unit::TestCase)\b/m,
  ],
];

/** Whether a text is test code, wherever it lies. */
export function looksLikeTests(text: string): boolean {
  const start = text.slice(0, 200_000);
  return TEST_TEXT.some((patterns) => patterns.every((pattern) => pattern.test(start)));
}

/** Rust keeps tests in the file that they test, and Vitest can. */
export function hasInlineTests(text: string): boolean {
  return /#\[(?:\w+::)?test\]|#\[cfg\(test\)\]|import\.meta\.vitest/.test(text);
}
