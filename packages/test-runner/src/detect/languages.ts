import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { foldersUp } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { textOf } from "../project-files.ts";
import type { Detector, Folder, Suite } from "./detector.ts";
import { reportOfScript } from "./javascript.ts";

const PYTEST_FILE = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;
/** Only these does unittest find by itself. */
const UNITTEST_FILE = /(^|\/)test[^/]*\.py$/;
/** More folders than these hold tests for something else as well. */
const UNITTEST_FOLDERS = 8;

/** Files that may name or configure pytest, and what they say then. */
const EVIDENCE: readonly [string, RegExp][] = [
  ["pytest.ini", /(?:)/],
  ["pyproject.toml", /pytest/],
  ["tox.ini", /^\[pytest\]|\bpytest\b/m],
  ["setup.cfg", /^\[tool:pytest\]|\bpytest\b/m],
  ["setup.py", /\bpytest\b/],
  ["Pipfile", /^pytest\b/m],
  ["conftest.py", /(?:)/],
  ["requirements.txt", /^pytest\b/m],
  ["requirements-dev.txt", /^pytest\b/m],
  ["dev-requirements.txt", /^pytest\b/m],
];

/** pytest, where a file configures, names or imports it and there is a file it would collect; else unittest. */
export const python: Detector = (folder) => {
  for (const [file, pattern] of EVIDENCE) {
    const text = folder.text(file);
    if (text === null || !pattern.test(text)) continue;
    return folder.find(PYTEST_FILE) === null ? [] : [pytest(folder, file)];
  }
  const test = folder.find(PYTEST_FILE, /^\s*(import|from) pytest\b/m);
  return test === null ? unittest(folder) : [pytest(folder, test)];
};

function pytest(folder: Folder, source: string): Suite {
  return { command: `${launcher(folder)}pytest`, source, report: "pytest" };
}

/** One command for each folder that unittest must start from: it only enters packages by itself. */
const unittest: Detector = (folder) => {
  const starts = new Map<string, string>();
  for (const file of folder.matching(UNITTEST_FILE, /^\s*(import|from) unittest\b/m)) {
    const start = startOf(folder, file);
    if (!starts.has(start)) starts.set(start, file);
    if (starts.size > UNITTEST_FOLDERS) return [];
  }
  if (![...starts.keys()].every((start) => /^[\w./-]+$/.test(start))) return [];
  const program = `${launcher(folder) || "python3 "}`.replace(/run $/, "run python ");
  return [...starts].map(([start, source]) => ({
    command: `${program}-m unittest${start === "." ? "" : ` discover -s ${start}`}`,
    source,
    report: "unittest",
  }));
};

/** The folder above the outermost package that holds the file. */
function startOf({ path }: Folder, file: string): string {
  let start = dirname(file);
  while (start !== "." && existsSync(join(path, start, "__init__.py"))) start = dirname(start);
  return start;
}

function launcher(folder: Folder): string {
  if (folder.first(["uv.lock"])) return "uv run ";
  return folder.first(["poetry.lock"]) ? "poetry run " : "";
}

export const RAKEFILES = ["Rakefile", "rakefile", "Rakefile.rb"];
/** A Rakefile with tests. */
export const RAKE_TEST = /Rake::TestTask|Minitest::TestTask|^\s*task\s+:?["']?test\b/m;
const RUBY_TEST_FILE = /^test\/(.*_test|(.*\/)?test_[^/]*)\.rb$/;
const TEST_CLASS =
  /\b(Minitest|Test::Unit|ActiveSupport::TestCase|ActionDispatch)\b|require ["'](minitest|test)\/|test_helper/;

/** RSpec, where it is named or configured; else minitest and test-unit, whose tests are of one kind. */
export const ruby: Detector = (folder) => {
  const gemfile = folder.text("Gemfile") ?? "";
  const bundled = /\brspec\b/.test(gemfile);
  const source = bundled ? "Gemfile" : folder.first([".rspec", "spec/spec_helper.rb"]);
  if (source !== undefined && folder.find(/_spec\.rb$/) !== null) {
    return [{ command: bundled ? "bundle exec rspec" : "rspec", source, report: "rspec" }];
  }
  const test = folder.find(RUBY_TEST_FILE, TEST_CLASS);
  return test === null ? [] : [minitest(folder, test, gemfile !== "" ? "bundle exec " : "")];
};

/** By what the project itself starts its tests with; without that, each file by Ruby. */
function minitest(folder: Folder, test: string, bundle: string): Suite {
  const report = "minitest";
  if (folder.first(["bin/rails"]))
    return { command: "bin/rails test", source: "bin/rails", report };
  const rakefile = folder.first(RAKEFILES);
  const runs = rakefile === undefined ? null : folder.text(rakefile);
  if (rakefile !== undefined && runs !== null && RAKE_TEST.test(runs)) {
    return { command: `${bundle}rake test`, source: rakefile, report, runs };
  }
  const files = '"./test/**/{*_test,test_*}.rb"';
  const program = `Dir.glob(${files}).sort.each { |file| require file unless file.end_with?("test_helper.rb") }`;
  return { command: `${bundle}ruby -Ilib -Itest -e '${program}'`, source: test, report };
}

/** The part of a composer.json that tells how it is tested. */
const Composer = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  "require-dev": z.record(z.string(), z.unknown()).catch({}),
});
type Composer = z.infer<typeof Composer>;

/** The project's own `test` script, else Pest or PHPUnit where they are installed, named or configured. */
export const php: Detector = (folder) => {
  const composer = readComposer(folder);
  const script = composerScript(composer, "test");
  const source = "composer.json";
  if (script)
    return [{ command: "composer test", source, report: reportOfScript(script), runs: script }];
  if (folder.find(/(^|\/)tests?\/.*\.php$|Test\.php$/) === null) return [];
  if ("pestphp/pest" in composer["require-dev"]) {
    return [{ command: "vendor/bin/pest", source, report: "phpunit" }];
  }
  const named = "phpunit/phpunit" in composer["require-dev"];
  const config = folder.first(["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
  const own = named || folder.first(["vendor/bin/phpunit"]) !== undefined;
  if (!named && config === undefined) return [];
  const command = own ? "vendor/bin/phpunit" : "phpunit";
  return [{ command, source: config ?? source, report: "phpunit" }];
};

/** The text of the composer script that a command is nothing but a call of. */
export function composerScriptCalledBy(folder: Folder, command: string): string | undefined {
  const name = /^composer\s+(?:run(?:-script)?\s+)?([\w:.-]+)$/.exec(command.trim())?.[1];
  return name === undefined ? undefined : composerScript(readComposer(folder), name);
}

/** Composer also takes a list; only a single command can be given arguments. */
function composerScript({ scripts }: Composer, name: string): string | undefined {
  const own = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  const all = [own].flat().filter((one) => typeof one === "string");
  return all.length > 1 ? all.join(" ; ") : all[0]?.replace(/^@php\s+/, "");
}

function readComposer(folder: Folder): Composer {
  const none = { scripts: {}, "require-dev": {} };
  return Composer.catch(none).parse(tryParseJson(folder.text("composer.json") ?? "{}"));
}

/** A module's tests; modules below are none of its own. */
export const go: Detector = (folder) => {
  if (!folder.first(["go.mod"])) return [];
  const hasTests = folder.apartFrom("go.mod").find(/_test\.go$/) !== null;
  return hasTests ? [{ command: "go test ./...", source: "go.mod", report: "go" }] : [];
};

const RUST_TEST = /#\[(\w+::)*test\b|#\[cfg\(test\)\]|#\[rstest\b/;

/** All crates of a workspace; nextest where the project configures it, which leaves documentation tests to cargo. */
export const rust: Detector = (folder) => {
  if (!folder.first(["Cargo.toml"])) return [];
  const isWhole = isWorkspace(folder);
  const own = isWhole ? folder : folder.apartFrom("Cargo.toml");
  if (own.find(/\.rs$/, RUST_TEST) === null) return [];
  const all = isWhole ? " --workspace" : "";
  const nextest = folder.first([".config/nextest.toml"]);
  return nextest
    ? [{ command: `cargo nextest run${all}`, source: nextest, report: "nextest" }]
    : [{ command: `cargo test${all}`, source: "Cargo.toml", report: "cargo" }];
};

export function isWorkspace(folder: Folder): boolean {
  return /^\[workspace\]/m.test(folder.text("Cargo.toml") ?? "");
}

const JVM_TEST_FILE = /(^|\/)src\/[A-Za-z]*[tT]est\/.*\.(java|kt|scala|groovy)$/;
const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

export const maven: Detector = (folder) => {
  if (!folder.first(["pom.xml"]) || folder.find(JVM_TEST_FILE) === null) return [];
  const program = folder.first(["mvnw"]) ? "./mvnw" : "mvn";
  return [{ command: `${program} -B test`, source: "pom.xml", report: "maven" }];
};

export const gradle: Detector = (folder) => {
  const source = folder.first(GRADLE);
  if (source === undefined || folder.find(JVM_TEST_FILE) === null) return [];
  const program = folder.first(["gradlew"]) ? "./gradlew" : "gradle";
  return [{ command: `${program} test`, source, report: "gradle" }];
};

const PROJECT = /\.(cs|fs|vb)proj$/;
const DOTNET_TESTS = /Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|"(xunit|NUnit|MSTest)\b/i;
const SOLUTION = /^[^/]+\.slnx?$/;
/** More test projects than these want a solution around them. */
const PROJECTS = 8;

/** The folder's only solution, else its test projects one by one. */
export const dotnet: Detector = (folder) => {
  const projects = [...folder.matching(PROJECT, DOTNET_TESTS)];
  if (projects.length === 0) return [];
  const solutions = [...folder.matching(SOLUTION)];
  const targets = solutions.length === 1 ? solutions : projects;
  if (targets.length > PROJECTS || !targets.every((target) => /^[\w./-]+$/.test(target))) return [];
  const report = reportOfDotnet(folder);
  return targets.map((target) => ({ command: `dotnet test ${target}`, source: target, report }));
};

/** The newer test platform has other arguments, and a report only where the project installs one. */
export function reportOfDotnet({ path }: Folder): string {
  // As dotnet looks for it.
  for (const folder of foldersUp(path)) {
    const settings = textOf(join(folder, "global.json"));
    if (settings !== null)
      return /Microsoft\.Testing\.Platform/.test(settings) ? "script" : "dotnet";
  }
  return "dotnet";
}

const ENABLES = /^\s*(enable_testing\s*\(|include\s*\(\s*CTest\b)/im;
/** Names under which projects keep what CMake builds. */
const CMAKE_FOLDERS = ["build", "_build", "out", "cmake-build-debug"];

/**
 * Configured and built before ctest runs, in a folder that Git does not see: one that was configured already, else one
 * that the project ignores, else one that ignores itself.
 */
export const cmake: Detector = (folder) => {
  const source = "CMakeLists.txt";
  const top = folder.text(source);
  if (top === null) return [];
  if (!ENABLES.test(top) && folder.find(/\/CMakeLists\.txt$/, ENABLES) === null) return [];
  const known = knownFolder(folder);
  const build = known ?? "cmake-build-tests";
  const ignored =
    known === undefined
      ? [`cmake -E make_directory ${build}`, `echo '*' > ${build}/.gitignore`]
      : [];
  const commands = [...ignored, `cmake -S . -B ${build}`, `cmake --build ${build}`];
  return [
    ...commands.map((command) => ({ command, source, report: "script" })),
    { command: `ctest --test-dir ${build} --output-on-failure`, source, report: "ctest" },
  ];
};

function knownFolder(folder: Folder): string | undefined {
  const configured = CMAKE_FOLDERS.find((name) =>
    existsSync(join(folder.path, name, "CMakeCache.txt")),
  );
  if (configured !== undefined) return configured;
  const ignored = folder.text(".gitignore") ?? "";
  const lines = ignored.split("\n").map((line) => line.trim().replace(/^\/|\/?\*?$/g, ""));
  return CMAKE_FOLDERS.find((name) => lines.includes(name));
}
