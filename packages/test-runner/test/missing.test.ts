import type { TestCounts, Verification } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { detect } from "../src/detect/detect.ts";
import { missingFor } from "../src/missing.ts";
import { project } from "./project.ts";

const counts = (passed: number): TestCounts => ({ total: passed, passed, failed: 0, skipped: 0 });
const run = (output_tail: string, passed = 0) =>
  ({ output_tail, counts: counts(passed) }) as Verification;
const NODE = JSON.stringify({
  scripts: { test: "vitest run" },
  devDependencies: { vitest: "4", "@scope/tool": "1" },
});

async function missingIn(
  files: Readonly<Record<string, string>>,
  output: string | null,
  command = "npm test",
) {
  const dir = await project(files);
  const plan = await detect(dir, command);
  if (!plan) throw new TypeError("A command was given.");
  return missingFor(plan, dir, output === null ? null : run(output));
}

test.each<[string, Record<string, string>, string | null, string, string | null]>([
  [
    "npm's packages",
    { "package.json": NODE, "package-lock.json": "{}" },
    "sh: 1: vitest: not found",
    "vitest, @scope/tool are not installed.",
    "npm ci",
  ],
  [
    "a package beside others",
    { "package.json": NODE, "pnpm-lock.yaml": "", "node_modules/vitest/package.json": "{}" },
    "Error: Cannot find package '@scope/tool' imported from /shop/test/a.js",
    "@scope/tool is not installed.",
    "pnpm install",
  ],
  [
    "packages of a runner that could not be started",
    { "package.json": NODE },
    null,
    "vitest, @scope/tool are not installed.",
    "npm install",
  ],
  [
    "a module of Python",
    { "requirements.txt": "requests\n", "app.py": "" },
    "E   ModuleNotFoundError: No module named 'requests'",
    "requests is not installed.",
    "python3 -m pip install -r requirements.txt",
  ],
  [
    "a module under another name than its package's",
    { "pyproject.toml": '[project]\ndependencies = ["PyYAML>=6", "python-dateutil"]\n' },
    "ModuleNotFoundError: No module named 'yaml'",
    "yaml is not installed.",
    "python3 -m pip install -e .",
  ],
  [
    "a program of a package that has another name",
    { "package.json": NODE },
    "sh: 1: tool: not found",
    "vitest, @scope/tool are not installed.",
    "npm install",
  ],
  [
    "a runner of Python that no file asks for",
    { "requirements.txt": "requests\n" },
    "/usr/bin/python3: No module named pytest",
    "pytest is not installed.",
    null,
  ],
  [
    "what Composer installs",
    { "composer.json": "{}" },
    "PHP Fatal error:  Uncaught Error: Failed opening required '/shop/vendor/autoload.php'",
    "vendor/autoload.php is not installed.",
    "composer install",
  ],
  [
    "a gem",
    { Gemfile: "" },
    "Could not find rspec-3.12 in locally installed gems (Bundler::GemNotFound)",
    "rspec-3 is not installed.",
    "bundle install",
  ],
  [
    "a program that nobody declares",
    { Makefile: "test:\n\tbats test\n" },
    "/bin/sh: 1: bats: not found\nmake: *** [Makefile:2: test] Error 127",
    "bats is not installed.",
    null,
  ],
  [
    "a submodule",
    { ".gitmodules": '[submodule "deps/x"]\n\tpath = deps/x\n\turl = ../x\n' },
    "anything",
    "deps/x is an empty submodule.",
    "git submodule update --init --recursive",
  ],
  [
    "a service",
    { "compose.yaml": "" },
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "The service at 127.0.0.1:5432 does not answer.",
    "docker compose up -d",
  ],
  [
    "a service behind a test of Go",
    {},
    "db_test.go:12: dial tcp [::1]:5432: connect: connection refused",
    "The service at [::1]:5432 does not answer.",
    null,
  ],
  [
    "a service by its port",
    {},
    'E   connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused',
    "The service at port 5432 does not answer.",
    null,
  ],
])("names %s", async (_, files, output, message, command) => {
  expect(await missingIn(files, output)).toEqual([{ message, command }]);
});

test("names what is missing in each folder, with a command for the project's own", async () => {
  const files = {
    "web/package.json": NODE,
    "api/go.mod": "module a",
  };
  const chain = "(cd web && npm test) && (cd api && go test ./...)";
  expect(await missingIn(files, "sh: 1: vitest: not found", chain)).toEqual([
    { message: "vitest, @scope/tool are not installed.", command: "(cd web && npm install)" },
  ]);
});

test.each<[string, Record<string, string>, string]>([
  ["a red test", { "package.json": NODE }, "not ok 1 - cart\n  user: not found"],
  ["a word of a red test", { "package.json": NODE }, "not ok 1 - says that vitest is fast"],
  ["a file of the project", { "package.json": NODE }, "Error: Cannot find module './cart.js'"],
  ["a module of the project", { "cart.py": "" }, "No module named 'cart.price'"],
  [
    "a module of Python that nothing asks for",
    { "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests"]\n' },
    "ModuleNotFoundError: No module named 'vat'",
  ],
  ["a module in src", { "src/cart/__init__.py": "" }, "No module named 'cart.price'"],
  [
    "a package that nothing declares",
    { "package.json": NODE, "node_modules/vitest/a": "", "node_modules/@scope/tool/a": "" },
    "Error: Cannot find package 'left-pad'",
  ],
])("does not take %s for it", async (_, files, output) => {
  expect(await missingIn(files, output)).toEqual([]);
});

test("says nothing where a test passed", async () => {
  const dir = await project({ "package.json": NODE });
  const plan = await detect(dir, "npm test");
  expect(plan && missingFor(plan, dir, run("sh: 1: vitest: not found", 1))).toEqual([]);
});
