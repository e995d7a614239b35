import { expect, test } from "vitest";
import { verifier } from "../src/index.ts";
import { project } from "./project.ts";

const { detect } = verifier();
const pack = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });
const goTest = "package a\nfunc TestA(t *testing.T) {}\n";

test.each<[string, Record<string, string>, [string, string, string]]>([
  ["an npm script", { "package.json": pack("vitest run") }, ["npm test", "package.json", "vitest"]],
  [
    "a pnpm script, by lock file",
    { "package.json": pack("jest"), "pnpm-lock.yaml": "" },
    ["pnpm test", "package.json", "jest"],
  ],
  [
    "a yarn script, by lock file",
    { "package.json": pack("mocha"), "yarn.lock": "" },
    ["yarn test", "package.json", "mocha"],
  ],
  [
    "a bun script, by lock file",
    { "package.json": pack("node --test"), "bun.lock": "" },
    ["bun run test", "package.json", "node-test"],
  ],
  [
    "the manager the package names, whatever lock file is there",
    { "package.json": pack("ava", { packageManager: "pnpm@10.0.0" }), "yarn.lock": "" },
    ["pnpm test", "package.json", "exit-code"],
  ],
  [
    "a script that only calls another",
    { "package.json": '{"scripts":{"test":"npm run unit","unit":"vitest run"}}' },
    ["npm run unit", "package.json", "vitest"],
  ],
  [
    "but not past a hook",
    { "package.json": '{"scripts":{"test":"npm run unit","unit":"vitest run","pretest":"tsc"}}' },
    ["npm test", "package.json", "exit-code"],
  ],
  [
    "vitest without a script",
    { "package.json": "{}", "vitest.config.mts": "" },
    ["vitest run", "vitest.config.mts", "vitest"],
  ],
  [
    "jest without a script",
    { "package.json": '{"devDependencies":{"jest":"30"}}' },
    ["jest", "package.json", "jest"],
  ],
  [
    "node's own tests behind npm's placeholder",
    {
      "package.json": pack('echo "Error: no test specified" && exit 1'),
      "src/a.test.mjs": 'import test from "node:test";',
    },
    ["node --test", "src/a.test.mjs", "node-test"],
  ],
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
    { "conftest.py": "", "test_a.py": "" },
    ["pytest", "conftest.py", "pytest"],
  ],
  ["go", { "go.mod": "module a", "b/a_test.go": goTest }, ["go test ./...", "go.mod", "go"]],
  [
    "cargo",
    { "Cargo.toml": "", "src/lib.rs": "#[cfg(test)]\nmod tests {}\n" },
    ["cargo test", "Cargo.toml", "exit-code"],
  ],
  [
    "cargo with another runtime's tests",
    { "Cargo.toml": "", "src/lib.rs": "#[tokio::test]\nasync fn a() {}\n" },
    ["cargo test", "Cargo.toml", "exit-code"],
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
    ["./gradlew cleanTest test", "build.gradle.kts", "gradle"],
  ],
])("finds %s", async (_, files, [command, source, report]) => {
  expect(await detect(await project(files))).toEqual({ command, source, report });
});

test.each<[string, Record<string, string>]>([
  ["an empty folder", {}],
  ["npm's placeholder", { "package.json": pack('echo "Error: no test specified" && exit 1') }],
  ["an empty script", { "package.json": pack("  ") }],
  ["a package.json that is none", { "package.json": "{ not json" }],
  ["a package.json with odd types", { "package.json": '{"scripts":["test"],"devDependencies":7}' }],
  ["test files of an unknown runner", { "package.json": "{}", "a.test.js": "tape('a')" }],
  ["test files of somebody else", { "node_modules/x/a.test.mjs": 'import "node:test"' }],
  ["Python tests without pytest", { "test_a.py": "import unittest", "pyproject.toml": "" }],
  ["pytest without tests", { "pytest.ini": "", "main.py": "" }],
  ["Go without tests", { "go.mod": "module a", "main.go": "" }],
  ["Rust without tests", { "Cargo.toml": "", "src/main.rs": "fn main() {}" }],
  ["Maven without tests", { "pom.xml": "", "src/main/java/A.java": "" }],
  ["Gradle without tests", { "build.gradle": "", "src/main/java/A.java": "" }],
])("answers null for %s", async (_, files) => {
  expect(await detect(await project(files))).toBeNull();
});

test("answers null for a folder that does not exist", async () => {
  expect(await detect("/no/such/folder")).toBeNull();
});

test.each([
  ["npm test", "vitest"],
  ["npm run e2e", "jest"],
  ["pnpm test", "vitest"],
  ["yarn e2e", "jest"],
  ["npx vitest run a", "vitest"],
  ["npm run unknown", "exit-code"],
  ["npm test -- --bail", "exit-code"],
  ["./check.sh", "exit-code"],
])("knows the runner behind the given command %s", async (given, report) => {
  const dir = await project({
    "package.json": '{"scripts":{"test":"tsc && vitest run","e2e":"jest -c e2e.js"}}',
  });
  expect(await detect(dir, given)).toEqual({ command: given, source: "given", report });
});

test("a blank given command is none", async () => {
  const dir = await project({ "package.json": pack("vitest") });
  expect(await detect(dir, "  ")).toMatchObject({ source: "package.json" });
});

test("finds the manager of the workspace around a package, within its repository", async () => {
  const dir = await project({
    "pnpm-lock.yaml": "",
    "a/package.json": pack("vitest"),
    "b/.git/HEAD": "",
    "b/c/package.json": pack("vitest"),
  });
  expect(await detect(`${dir}/a`)).toMatchObject({ command: "pnpm test" });
  expect(await detect(`${dir}/b/c`)).toMatchObject({ command: "npm test" });
});
