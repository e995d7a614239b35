import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { works } from "../../src/process/works.ts";

test.each([
  ["answers", "exit 0", true],
  [
    "fails, as a shim without a toolchain does",
    "echo 'no default is configured' >&2; exit 1",
    false,
  ],
  ["is killed", "kill -9 $$", false],
])("a program that %s", async (_, script, expected) => {
  const folder = await mkdtemp(join(tmpdir(), "ccw-works-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  await writeFile(join(folder, "cargo"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "cargo"), 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  expect(works("cargo", "--version")).toBe(expected);
});

test("a program that is not there", () => {
  expect(works("no-such-program", "--version")).toBe(false);
});
