import { readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { act, edit } from "./edits.ts";
import { fill, place } from "./place.ts";
import { makeRepository, repositoryWith, userGit } from "./repository.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const HOUR = 60 * 60 * 1000;

/** Files count as written so long ago. */
function written(msAgo: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + msAgo });
}

/** Runs with a `git` in PATH that writes down what it is called for; the names of its commands since the last question. */
async function watched(): Promise<() => Promise<string[]>> {
  const bin = await place({ calls: "" });
  const file = join(bin, "calls");
  const script = `#!/bin/sh\nPATH=\${PATH#*${delimiter}}\necho "$1" >>'${file}'\nexec git "$@"\n`;
  await writeFile(join(bin, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", [bin, process.env.PATH].join(delimiter));
  return async () => {
    const calls = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
    await writeFile(file, "");
    return calls;
  };
}

async function project(): Promise<string> {
  const cwd = await repositoryWith({ "a.txt": "a", "src/b.txt": "b", "src/c.txt": "c" });
  await fill(cwd, {
    "node_modules/x.js": "x",
    "empty/logs/.gitignore": "*.log\n",
    "empty/logs/y.log": "y",
    "new.txt": "new",
  });
  return cwd;
}

/** What a fresh look finds, which knows nothing of those before. */
function freshly(cwd: string): Promise<string> {
  return gitWorkspace(cwd).tree();
}

test.each([
  ["just now", 0],
  ["an hour ago", HOUR],
])(
  "looks find what a fresh look finds, whatever was done, with files of %s",
  {
    timeout: 90_000,
  },
  async (_, ago) => {
    const property = fc.asyncProperty(
      fc.array(edit, { minLength: 6, maxLength: 12 }),
      async (edits) => {
        const cwd = await place();
        await makeRepository(cwd);
        await fill(cwd, {
          ".git/info/exclude": "ignored/\n*.log\n",
          ...{ a: "one\n", "d/e": "one\n", "d/.gitignore": "x*\n!xy\n", "ignored/kept": "kept" },
        });
        await userGit(cwd, "add", "a", "d");
        written(ago);
        const workspace = gitWorkspace(cwd);
        await workspace.tree();
        for (const one of edits) {
          await act(cwd, one);
          expect(await workspace.tree(), JSON.stringify(one)).toBe(await freshly(cwd));
        }
        vi.useRealTimers();
      },
    );
    await fc.assert(property, { numRuns: 8 });
  },
);

test("git is not asked again while nothing is there that it would list otherwise", async () => {
  const cwd = await project();
  written(HOUR);
  const calls = await watched();
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  await fill(cwd, { "src/b.txt": "changed" });
  const before = await workspace.tree();
  expect(await calls()).toContain("ls-files");
  expect(await workspace.tree()).toBe(before);
  // What git listed is read each time, and what it ignores is nobody's business.
  await fill(cwd, {
    "src/b.txt": "once more",
    "new.txt": "again",
    "node_modules/y.js": "y",
    "empty/logs/y.log": "more",
  });
  const after = await workspace.tree();
  expect(await calls()).toEqual([]);
  expect(after).not.toBe(before);
  expect(after).toBe(await freshly(cwd));
});

test.each<[string, (cwd: string) => Promise<unknown>]>([
  ["a file that it did not list", (cwd) => fill(cwd, { "a.txt": "b" })],
  ["a new file", (cwd) => fill(cwd, { "src/d.txt": "d" })],
  ["a new file in a folder that was empty", (cwd) => fill(cwd, { "empty/d.txt": "d" })],
  ["a new file beside ignored ones", (cwd) => fill(cwd, { "empty/logs/d.txt": "d" })],
  ["a file that is gone", (cwd) => rm(join(cwd, "new.txt"))],
  ["a folder that is gone", (cwd) => rm(join(cwd, "src"), { recursive: true })],
  ["a rule", (cwd) => fill(cwd, { ".gitignore": "new.txt\n" })],
  ["a rule in a folder", (cwd) => fill(cwd, { "empty/logs/.gitignore": "" })],
  ["a rule of the repository alone", (cwd) => fill(cwd, { ".git/info/exclude": "new.txt\n" })],
  ["an ignored folder that is none any more", (cwd) => fill(cwd, { ".gitignore": "\n" })],
  ["what is tracked", (cwd) => userGit(cwd, "add", "-f", "node_modules/x.js")],
  ["a repository inside", (cwd) => userGit(cwd, "init", "-q", "empty/inside")],
])("git is asked again after a change of %s", async (_, change) => {
  const cwd = await project();
  written(HOUR);
  const calls = await watched();
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  await workspace.tree();
  await calls();
  await change(cwd);
  const tree = await workspace.tree();
  expect(await calls()).toContain("ls-files");
  expect(tree).toBe(await freshly(cwd));
});

test("a file that was just written is looked at by git until it is older", async () => {
  const cwd = await repositoryWith({ "a.txt": "a", "b.txt": "b" });
  written(HOUR);
  const calls = await watched();
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  vi.useRealTimers();
  await fill(cwd, { "a.txt": "a" });
  await workspace.tree();
  await workspace.tree();
  await calls();
  await workspace.tree();
  expect(await calls()).toEqual(["ls-files"]);
  written(HOUR);
  await workspace.tree();
  await calls();
  await workspace.tree();
  expect(await calls()).toEqual([]);
});
