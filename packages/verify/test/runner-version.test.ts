import { spawnSync } from "node:child_process";
import { works } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { givenPart } from "../src/detect/detect.ts";
import { runnerVersion } from "../src/runners/version.ts";
import { environmentOf, install, projectWith, write } from "./installed.ts";
import { project } from "./project.ts";

const versionOf = (dir: string, command: string) =>
  runnerVersion(givenPart(dir, { command }), dir, environmentOf(dir));

test.each([
  ["vitest", "npm test", "vitest 4.1.0"],
  ["jest", "npx jest --ci", "jest 4.1.0"],
  ["mocha", "c8 mocha", "mocha 4.1.0"],
  ["@playwright/test", "node node_modules/.bin/playwright test", "playwright 4.1.0"],
])("tells the version of %s behind %s by its package", async (name, command, version) => {
  const dir = await projectWith(name);
  await install(dir, "left-pad");
  expect(await versionOf(dir, command)).toBe(version);
});

test("takes the nearest package from the folder of the tests upwards", async () => {
  const dir = await projectWith("mocha");
  await write(dir, { "web/a.test.js": "" });
  expect(await versionOf(`${dir}/web`, "mocha")).toBe("mocha 4.1.0");
});

test("tells the version of PHPUnit behind a script of Composer", async () => {
  const dir = await project({
    "composer.json": '{"scripts":{"test":"@php vendor/bin/phpunit"}}',
    "vendor/composer/installed.json":
      '{"packages":[{"name":"phpunit/phpunit","version":"11.5.0"}]}',
  });
  expect(await versionOf(dir, "composer test")).toBe("phpunit 11.5.0");
});

test("tells what a project's virtual environment holds", async () => {
  const dir = await project({
    ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.14.9\n",
    ".venv/lib/python3.14/site-packages/pytest-9.9.1.dist-info/METADATA": "",
    ".venv/lib/python3.14/site-packages/pytest_cov-1.0.0.dist-info/METADATA": "",
  });
  expect(await versionOf(dir, "pytest -q")).toBe("pytest 9.9.1");
  expect(await versionOf(dir, "python -m unittest")).toBe("python 3.14.9");
});

test("asks Node for its version when it runs the tests", async () => {
  const dir = await project({});
  expect(await versionOf(dir, "node --test test/")).toMatch(/^node \d+\.\d+\.\d+/);
  expect(await versionOf(dir, "node build.js")).toBeNull();
});

test.runIf(works("python3", "--version"))("asks Python", async () => {
  expect(await versionOf(await project({}), "python3 -m unittest")).toMatch(/^python 3\.\d+/);
});

test.runIf(works("go", "version"))("asks Go", async () => {
  expect(await versionOf(await project({}), "go test ./...")).toMatch(/^go \d+\.\d+/);
});

test.runIf(works("cargo", "--version"))("asks Cargo", async () => {
  expect(await versionOf(await project({}), "cargo test --all")).toMatch(/^cargo \d+\.\d+/);
});

test("starts no program of the project", async () => {
  const dir = await project({});
  const GO = "#!/bin/sh\ntouch started\necho go version go9.9\n";
  await write(dir, { "node_modules/.bin/go": GO, "tools/go": GO });
  const env = { PATH: `${dir}/node_modules/.bin:${dir}/tools:tools:/bin` };
  expect(await runnerVersion({ command: "go test ./...", report: "go" }, dir, env)).toBeNull();
  expect(spawnSync("ls", [dir], { encoding: "utf8" }).stdout).toBe("node_modules\ntools\n");
});

test("does not take the program of the PATH for one that is named by its path", async () => {
  const dir = await project({});
  const tools = await project({});
  const GRADLE = "#!/bin/sh\necho; echo Gradle 9.9\n";
  await write(tools, { gradle: GRADLE });
  const env = { PATH: `${tools}:/usr/bin:/bin` };
  const asked = (command: string) => runnerVersion({ command, report: "gradle" }, dir, env);
  expect(await asked("gradle test")).toBe("gradle 9.9");
  expect(await asked("./gradlew test")).toBeNull();
});

test("is silent about what it does not know", async () => {
  const dir = await project({});
  for (const command of ["make check", "./run-tests.sh", "no-such-program test", "mocha", ""]) {
    expect(await versionOf(dir, command)).toBeNull();
  }
});
