import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { appendFile, cp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { works } from "@ccw-loop/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fingerprints, runnerVersion } from "../src/fingerprint/index.ts";
import { environmentOf, write } from "./installed.ts";
import { project } from "./project.ts";

const hasPython = works("python3", "-c", "import venv");

let template = "";
let sitePath = "";
beforeAll(() => {
  if (!hasPython) return;
  template = mkdtempSync(join(tmpdir(), "ccw-loop-venv-"));
  execFileSync("python3", ["-m", "venv", "--without-pip", ".venv"], { cwd: template });
  const python = join(template, ".venv", "bin", "python");
  const ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
  sitePath = relative(template, execFileSync(python, ["-c", ask], { encoding: "utf8" }).trim());
});
afterAll(() => {
  if (template !== "") rmSync(template, { recursive: true });
});

/** A project with a virtual environment that has pytest, or what looks like it. */
async function venv(): Promise<{ dir: string; site: string }> {
  const dir = await project({});
  await cp(template, dir, { recursive: true, verbatimSymlinks: true });
  const site = join(dir, sitePath);
  await write(site, {
    "pytest/__init__.py": "",
    "_pytest/assertion.py": "check()\n",
    "_pytest/_version.py": "__version__ = version = '9.0.3'\n",
    "pluggy/__init__.py": "",
  });
  const python = join(dir, ".venv", "bin", "python");
  await write(dir, { ".venv/bin/pytest": `#!${python}\nimport pytest\n` });
  return { dir, site };
}

test
  .runIf(hasPython)
  .each<[string, string, (dir: string, site: string) => Promise<unknown>, string[]]>([
    [
      "patches pytest",
      "pytest -q",
      (_, site) => appendFile(join(site, "_pytest/assertion.py"), "pass"),
      ["pytest package"],
    ],
    [
      "patches pytest's plugins",
      "python -m pytest",
      (_, site) => appendFile(join(site, "pluggy/__init__.py"), "pass"),
      ["pytest package"],
    ],
    [
      "patches the program",
      "pytest",
      (dir) => appendFile(join(dir, ".venv/bin/pytest"), "pass"),
      ["pytest"],
    ],
    [
      "adds code that always runs",
      "pytest",
      (_, site) => writeFile(join(site, "sitecustomize.py"), "x"),
      ["Python start-up files"],
    ],
    [
      "adds code that always runs, in a path file",
      "pytest",
      (_, site) => writeFile(join(site, "a.pth"), "import os; x\n"),
      ["Python start-up files"],
    ],
    [
      "installs a package with a path file of its own",
      "pytest",
      (_, site) =>
        write(site, {
          "cov.pth": "import cov\n",
          "cov.py": "",
          "cov-1.dist-info/RECORD": "cov.py,,\ncov.pth,,\n",
        }),
      [],
    ],
    [
      "installs another package, and compiles",
      "pytest",
      (_, site) =>
        write(site, { "left_pad/__init__.py": "", "_pytest/__pycache__/a.cpython.pyc": "" }),
      [],
    ],
    [
      "replaces the interpreter",
      "python -m unittest",
      async (dir) => {
        await rm(join(dir, ".venv/bin/python"));
        await write(dir, { ".venv/bin/python": "#!/bin/sh\nexit 0\n" });
      },
      ["Python start-up files", "python", "sh", "shadowed programs", "unittest package"],
    ],
  ])("an agent that %s", async (_, command, change, changed) => {
  const { dir, site } = await venv();
  const of = () => fingerprints([command], dir, environmentOf(dir));
  const before = await of();
  await change(dir, site);
  const after = await of();
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  expect([...names].filter((name) => before[name] !== after[name]).sort()).toEqual(changed);
  expect([...names]).toContain("Python start-up files");
});

test.runIf(hasPython)("never starts an interpreter that is a file of the project", async () => {
  const dir = await project({});
  await write(dir, { ".venv/bin/python3": "#!/bin/sh\ntouch started\necho '{}'\n" });
  const found = await fingerprints(["python3 -m pytest"], dir, environmentOf(dir));
  expect(Object.keys(found)).toEqual(["python3", "sh", "shadowed programs"]);
  expect(
    await runnerVersion({ command: "python3 -m pytest", report: "" }, dir, environmentOf(dir)),
  ).toBeNull();
  expect(spawnSync("ls", [dir], { encoding: "utf8" }).stdout).toBe("");
});

test.runIf(hasPython)("tells pytest's version by its files", async () => {
  const { dir } = await venv();
  const version = (command: string) =>
    runnerVersion({ command, report: "" }, dir, environmentOf(dir));
  expect(await version("pytest -q")).toBe("pytest 9.0.3");
  expect(await version("python -m pytest")).toBe("pytest 9.0.3");
  expect(await version("python -m unittest")).toMatch(/^python 3\.\d+/);
});
