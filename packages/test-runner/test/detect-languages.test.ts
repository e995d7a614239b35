import { expect, test } from "vitest";
import { detect } from "../src/detect/detect.ts";
import { project } from "./project.ts";

const UNITTEST = "import unittest\n";
const MSTEST = '<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17" />';

test.each<[string, Record<string, string>, [string, string, string]]>([
  [
    "pytest by its configuration",
    { "pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": "" },
    ["pytest", "pyproject.toml", "pytest"],
  ],
  [
    "pytest in uv's environment",
    { "pyproject.toml": 'dev = ["pytest"]', "uv.lock": "", "a_test.py": "" },
    ["uv run pytest", "pyproject.toml", "pytest"],
  ],
  [
    "pytest by an empty conftest.py",
    { "conftest.py": "", "test_a.py": UNITTEST },
    ["pytest", "conftest.py", "pytest"],
  ],
  [
    "pytest by a test that imports it",
    { "tests/test_a.py": "import pytest\n", "tests/test_b.py": UNITTEST },
    ["pytest", "tests/test_a.py", "pytest"],
  ],
  [
    "unittest in the folder itself",
    { "test_a.py": UNITTEST, "pyproject.toml": "" },
    ["python3 -m unittest", "test_a.py", "unittest"],
  ],
  [
    "unittest in a package",
    { "tests/__init__.py": "", "tests/test_a.py": "from unittest import TestCase" },
    ["python3 -m unittest", "tests/test_a.py", "unittest"],
  ],
  [
    "unittest in a folder that is no package, with one inside",
    { "poetry.lock": "", "tests/unit/__init__.py": "", "tests/unit/test_a.py": UNITTEST },
    ["poetry run python -m unittest discover -s tests", "tests/unit/test_a.py", "unittest"],
  ],
  ["go", { "go.mod": "module a", "b/a_test.go": "package a" }, ["go test ./...", "go.mod", "go"]],
  [
    "cargo",
    { "Cargo.toml": "", "src/lib.rs": "#[cfg(test)]\nmod tests {}\n" },
    ["cargo test", "Cargo.toml", "cargo"],
  ],
  [
    "cargo with another runtime's tests",
    { "Cargo.toml": "", "src/lib.rs": "#[tokio::test]\nasync fn a() {}\n" },
    ["cargo test", "Cargo.toml", "cargo"],
  ],
  [
    "every crate of a workspace",
    { "Cargo.toml": "[workspace]\n[package]\n", "a/src/lib.rs": "#[test]\nfn a() {}\n" },
    ["cargo test --workspace", "Cargo.toml", "cargo"],
  ],
  [
    "nextest by its configuration",
    { "Cargo.toml": "", ".config/nextest.toml": "", "src/lib.rs": "#[test]\nfn a() {}\n" },
    ["cargo nextest run", ".config/nextest.toml", "nextest"],
  ],
  [
    "Maven",
    { "pom.xml": "<project/>", "src/test/java/ATest.java": "" },
    ["mvn -B test", "pom.xml", "maven"],
  ],
  [
    "Maven's wrapper, tests in a module",
    { "pom.xml": "", mvnw: "", "core/src/test/java/ATest.java": "" },
    ["./mvnw -B test", "pom.xml", "maven"],
  ],
  [
    "Gradle",
    { "build.gradle.kts": "", gradlew: "", "app/src/test/kotlin/ATest.kt": "" },
    ["./gradlew test", "build.gradle.kts", "gradle"],
  ],
  [
    "a .NET solution",
    { "Shop.sln": "", "tests/Shop.Tests.csproj": MSTEST, "src/Shop.csproj": "<Project/>" },
    ["dotnet test Shop.sln", "Shop.sln", "dotnet"],
  ],
  [
    "a .NET project on the newer test platform, whose report nobody can ask for",
    {
      "Shop.Tests.fsproj": MSTEST,
      "global.json": '{"test":{"runner":"Microsoft.Testing.Platform"}}',
    },
    ["dotnet test Shop.Tests.fsproj", "Shop.Tests.fsproj", "script"],
  ],
  [
    "a composer script",
    { "composer.json": '{"scripts":{"test":"@php vendor/bin/phpunit"}}' },
    ["composer test", "composer.json", "phpunit"],
  ],
  [
    "a composer script of several commands",
    { "composer.json": '{"scripts":{"test":["phpstan","phpunit"]}}' },
    ["composer test", "composer.json", "script"],
  ],
  [
    "PHPUnit that the project installs",
    { "composer.json": '{"require-dev":{"phpunit/phpunit":"^11"}}', "tests/ATest.php": "" },
    ["vendor/bin/phpunit", "composer.json", "phpunit"],
  ],
  [
    "PHPUnit of the machine, by its configuration",
    { "phpunit.xml.dist": "", "tests/ATest.php": "" },
    ["phpunit", "phpunit.xml.dist", "phpunit"],
  ],
  [
    "Pest",
    { "composer.json": '{"require-dev":{"pestphp/pest":"^3"}}', "tests/Unit.php": "" },
    ["vendor/bin/pest", "composer.json", "phpunit"],
  ],
  [
    "RSpec in a bundle",
    { Gemfile: 'gem "rspec"', "spec/a_spec.rb": "" },
    ["bundle exec rspec", "Gemfile", "rspec"],
  ],
  [
    "RSpec by its options",
    { ".rspec": "--color", "spec/a_spec.rb": "" },
    ["rspec", ".rspec", "rspec"],
  ],
])("finds %s", async (_, files, [command, source, report]) => {
  expect(await detect(await project(files))).toEqual({
    command,
    source,
    parts: [{ command, report, source }],
  });
});

test.each<[string, Record<string, string>, string, string]>([
  [
    "Bats, and not the tests of its helpers",
    {
      Makefile: "test:\n\tbats test\n",
      "test/a.bats": "",
      "test/more/b.bats": "",
      "test/test_helper/bats-assert/test/c.bats": "",
    },
    "bats test test/more",
    "test, test/more",
  ],
  ["Perl's own", { "t/a.t": "", Makefile: "all:\n" }, "prove -lvr t", "t/a.t"],
  ["a target of make", { Makefile: ".PHONY: test\ntest: all\n\t./run\n" }, "make test", "Makefile"],
  ["make's check", { GNUmakefile: "check:\n\t./run\n" }, "make check", "GNUmakefile"],
  ["a recipe of just", { justfile: "test *args:\n  ./run\n" }, "just test", "justfile"],
  [
    "a task",
    { "Taskfile.yml": "tasks:\n  test:\n    cmds: [./run]\n" },
    "task test",
    "Taskfile.yml",
  ],
  ["rake", { Rakefile: "Rake::TestTask.new\n" }, "rake test", "Rakefile"],
  ["Elixir", { "mix.exs": "" }, "mix test", "mix.exs"],
  ["Zig", { "build.zig": 'b.step("test", "")' }, "zig build test", "build.zig"],
  ["Deno", { "deno.json": "{}" }, "deno test", "deno.json"],
])("finds %s", async (_, files, command, source) => {
  const asked = /^(bats|prove) /.exec(command)?.[1];
  const report = asked ?? "script";
  const parts = [{ command, report, source }];
  expect(await detect(await project(files))).toEqual({ command, source, parts });
});

test.each([
  ["a variable of make", { Makefile: "test := 1\nall:\n" }],
  ["a Rakefile without tests", { Rakefile: "task :build\n" }],
])("does not take %s for tests", async (_, files) => {
  expect(await detect(await project(files))).toBeNull();
});

test("asks the build tool only where no runner was found", async () => {
  const dir = await project({ "go.mod": "", "a_test.go": "", Makefile: "test:\n\tgo test\n" });
  expect(await detect(dir)).toMatchObject({ command: "go test ./..." });
});

test("chains what one command does not reach", async () => {
  const python = await project({ "a/test_a.py": UNITTEST, "b/test_b.py": UNITTEST });
  expect(await detect(python)).toEqual({
    command: "python3 -m unittest discover -s a && python3 -m unittest discover -s b",
    source: "a/test_a.py, b/test_b.py",
    parts: [
      { command: "python3 -m unittest discover -s a", report: "unittest", source: "a/test_a.py" },
      { command: "python3 -m unittest discover -s b", report: "unittest", source: "b/test_b.py" },
    ],
  });
  const PLATFORM = '{"test":{"runner":"Microsoft.Testing.Platform"}}';
  const dotnet = await project({
    ...{ "a/A.csproj": MSTEST, "b/B.csproj": MSTEST, "b/global.json": PLATFORM },
  });
  expect(await detect(dotnet)).toMatchObject({
    command: "(cd a && dotnet test A.csproj) && (cd b && dotnet test B.csproj)",
    parts: [{ report: "dotnet" }, { report: "script" }],
  });
});

test.each<[string, Record<string, string>]>([
  ["pytest without tests", { "pytest.ini": "", "main.py": "" }],
  ["Python that tests nothing", { "test_a.py": "print(1)" }],
  ["Python tests in a folder that no shell word can name", { "my tests/test_a.py": UNITTEST }],
  ["Go without tests", { "go.mod": "module a", "main.go": "" }],
  ["Rust without tests", { "Cargo.toml": "", "src/main.rs": "fn main() {}" }],
  ["Maven without tests", { "pom.xml": "", "src/main/java/A.java": "" }],
  ["Gradle without tests", { "build.gradle": "", "src/main/java/A.java": "" }],
  [".NET without tests", { "Shop.sln": "", "src/Shop.csproj": "<Project/>" }],
  ["PHP without tests", { "phpunit.xml": "", "src/A.php": "" }],
  ["PHP without a runner", { "composer.json": "{}", "tests/ATest.php": "" }],
  ["a composer.json that is none", { "composer.json": "{ not json", "tests/ATest.php": "" }],
  ["Ruby without RSpec", { Gemfile: 'gem "rails"', "spec/a_spec.rb": "" }],
  ["RSpec without specs", { ".rspec": "", "lib/a.rb": "" }],
])("answers null for %s", async (_, files) => {
  expect(await detect(await project(files))).toBeNull();
});

test.each([
  [{ "bin/rails": "", "test/a_test.rb": 'require "test_helper"' }, "bin/rails test"],
  [
    { Rakefile: "Minitest::TestTask.create\n", "test/test_a.rb": 'require "minitest/autorun"' },
    "rake test",
  ],
  [
    { Gemfile: "", Rakefile: "task :build\n", "test/a_test.rb": "class A < Minitest::Test" },
    expect.stringContaining("ruby -Ilib -Itest -e"),
  ],
])("finds minitest in %o", async (files, command) => {
  const plan = await detect(await project(files));
  expect(plan).toMatchObject({ command, parts: [{ report: "minitest" }] });
});

test.each([
  [{ "build/CMakeCache.txt": "" }, "build"],
  [{ ".gitignore": "*.o\n/_build/\n" }, "_build"],
  [{ ".gitignore": "*.o\n" }, "cmake-build-tests"],
])("CMake builds in a folder that Git does not see: %o", async (files, folder) => {
  const top = { "CMakeLists.txt": "project(shop)\ninclude(CTest)\n", Makefile: "test:\n" };
  const plan = await detect(await project({ ...top, ...files }));
  expect(plan?.parts.slice(-3)).toMatchObject([
    { command: `cmake -S . -B ${folder}`, report: "script" },
    { command: `cmake --build ${folder}`, report: "script" },
    { command: `ctest --test-dir ${folder} --output-on-failure`, report: "ctest" },
  ]);
});

test("CMake without tests is left to a Makefile", async () => {
  const files = { "CMakeLists.txt": "project(shop)\n", Makefile: "test:\n" };
  expect(await detect(await project(files))).toMatchObject({ command: "make test" });
});
