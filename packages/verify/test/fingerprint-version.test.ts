import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { runnerVersion } from "../src/fingerprint/runner-version.ts";
import { environmentOf, install, projectWith, write } from "./installed.ts";
import { project } from "./project.ts";

const versionOf = (dir: string, command: string) =>
  runnerVersion({ command, report: "" }, dir, environmentOf(dir));

test.each([
  ["vitest", "npm test", "vitest 4.1.0"],
  ["jest", "npx jest --ci", "jest 4.1.0"],
  ["mocha", "c8 -r lcov mocha", "mocha 4.1.0"],
  ["@playwright/test", "node node_modules/@playwright/test/cli.mjs test", "playwright 4.1.0"],
])("tells the version of %s behind %s by its package", async (name, command, version) => {
  const dir = await projectWith(name);
  await install(dir, "left-pad");
  expect(await versionOf(dir, command)).toBe(version);
});

test("tells the version of PHPUnit behind a script of Composer", async () => {
  const dir = await project({
    "composer.json": '{"scripts":{"test":["@lint","@php vendor/bin/phpunit"],"lint":"true"}}',
    "vendor/phpunit/phpunit/src/Assert.php": "<?php",
    "vendor/composer/installed.json":
      '{"packages":[{"name":"phpunit/phpunit","version":"11.5.0"}]}',
  });
  await write(dir, {
    "vendor/bin/phpunit": "#!/usr/bin/env php\n",
    "tools/composer": "#!/bin/sh\n",
  });
  const env = { PATH: `${join(dir, "tools")}:/usr/bin:/bin` };
  const part = { command: "composer test", report: "" };
  expect(await runnerVersion(part, dir, env)).toBe("phpunit 11.5.0");
});

test("tells the last runner of a script", async () => {
  const dir = await projectWith("vitest", "tsc && vitest run && node clean.js");
  expect(await versionOf(dir, "npm test")).toBe("vitest 4.1.0");
});

test("asks Node for its version when it runs the tests", async () => {
  const dir = await project({});
  expect(await versionOf(dir, "node --test test/")).toMatch(/^node \d+\.\d+\.\d+/);
  expect(await versionOf(dir, "node build.js")).toBeNull();
});

test.runIf(works("go", "version"))("asks Go", async () => {
  expect(await versionOf(await project({}), "go vet ./... && go test ./...")).toMatch(
    /^go \d+\.\d+/,
  );
});

test.runIf(works("cargo", "--version"))("asks Cargo", async () => {
  expect(await versionOf(await project({}), "cargo test --all")).toMatch(/^cargo \d+\.\d+/);
});

test("starts no program of the project", async () => {
  const dir = await project({});
  await write(dir, { "node_modules/.bin/go": "#!/bin/sh\ntouch started\necho go version go9.9\n" });
  expect(await versionOf(dir, "go test ./...")).toBeNull();
  expect(spawnSync("ls", [dir], { encoding: "utf8" }).stdout).toBe("node_modules\n");
});

test("is silent about what it does not know", async () => {
  const dir = await project({});
  for (const command of ["make check", "./run-tests.sh", "no-such-program test", ""]) {
    expect(await versionOf(dir, command)).toBeNull();
  }
});
