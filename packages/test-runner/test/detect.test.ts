import { expect, test } from "vitest";
import { detect } from "../src/detect/detect.ts";
import { project } from "./project.ts";

const pack = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });

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
    "Bun's own runner behind a script",
    { "package.json": pack("bun test"), "bun.lock": "" },
    ["bun run test", "package.json", "bun"],
  ],
  [
    "a script that is a chain, which stays one",
    { "package.json": pack("npm run lint && tsc && vitest run") },
    ["npm test", "package.json", "vitest"],
  ],
  [
    "a script whose runner cannot be told from outside",
    { "package.json": pack("go test ./...") },
    ["npm test", "package.json", "script"],
  ],
  [
    "the manager the package names, whatever lock file is there",
    { "package.json": pack("ava", { packageManager: "pnpm@10.0.0" }), "yarn.lock": "" },
    ["pnpm test", "package.json", "ava"],
  ],
  [
    "a script that only calls another",
    { "package.json": '{"scripts":{"test":"npm run unit","unit":"vitest run"}}' },
    ["npm run unit", "package.json", "vitest"],
  ],
  [
    "but not past a hook",
    { "package.json": '{"scripts":{"test":"npm run unit","unit":"vitest run","pretest":"tsc"}}' },
    ["npm test", "package.json", "script"],
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
    "mocha by its configuration",
    { "package.json": "{}", ".mocharc.yml": "" },
    ["mocha", ".mocharc.yml", "mocha"],
  ],
  [
    "playwright",
    { "package.json": "{}", "playwright.config.ts": "", "e2e/a.spec.ts": "" },
    ["playwright test", "playwright.config.ts", "playwright"],
  ],
  [
    "Bun's tests",
    { "package.json": "{}", "a.test.ts": 'import { test } from "bun:test";' },
    ["bun test", "a.test.ts", "bun"],
  ],
  [
    "node's own tests behind npm's placeholder",
    {
      "package.json": pack('echo "Error: no test specified" && exit 1'),
      "src/a.test.mjs": 'import test from "node:test";',
    },
    ["node --test", "src/a.test.mjs", "node-test"],
  ],
])("finds %s", async (_, files, [command, source, report]) => {
  expect(await detect(await project(files))).toEqual({
    command,
    source,
    parts: [{ command, report, source }],
  });
});

test.each<[string, Record<string, string>]>([
  ["an empty folder", {}],
  ["npm's placeholder", { "package.json": pack('echo "Error: no test specified" && exit 1') }],
  ["an empty script", { "package.json": pack("  ") }],
  ["a package.json that is none", { "package.json": "{ not json" }],
  ["a package.json with odd types", { "package.json": '{"scripts":["test"],"devDependencies":7}' }],
  ["node's tests where node does not look", { "a.spec.mjs": 'import test from "node:test";' }],
  ["test files of an unknown runner", { "package.json": "{}", "a.test.js": "tape('a')" }],
  ["test files of somebody else", { "node_modules/x/a.test.mjs": 'import "node:test"' }],
])("answers null for %s", async (_, files) => {
  expect(await detect(await project(files))).toBeNull();
});

test("runs the tests of every ecosystem that the top folder names", async () => {
  const dir = await project({
    "package.json": pack("vitest run"),
    "pyproject.toml": "[tool.pytest.ini_options]",
    "tests/test_a.py": "",
    "go.mod": "module example.org/cart",
    "cart_test.go": "package cart",
    "Cargo.toml": "",
    "README.md": "",
  });
  expect(await detect(dir)).toEqual({
    command: "npm test && pytest && go test ./...",
    source: "package.json, pyproject.toml, go.mod",
    parts: [
      { command: "npm test", report: "vitest", source: "package.json" },
      { command: "pytest", report: "pytest", source: "pyproject.toml" },
      { command: "go test ./...", report: "go", source: "go.mod" },
    ],
  });
});

test("takes tests of another kind for data where nothing at the top speaks of it", async () => {
  const dir = await project({
    "package.json": pack("vitest run"),
    "test/data/test_a.py": "import pytest",
  });
  expect(await detect(dir)).toMatchObject({ command: "npm test" });
});

test("runs no tests twice that a script runs already", async () => {
  const dir = await project({
    "package.json": pack("pytest"),
    "pytest.ini": "",
    "tests/test_a.py": "",
  });
  expect(await detect(dir)).toMatchObject({ command: "npm test" });
});

test("answers null for a folder that does not exist", async () => {
  expect(await detect("/no/such/folder")).toBeNull();
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
