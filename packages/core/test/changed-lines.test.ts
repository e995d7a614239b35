import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changedLineCoverage, changedLines } from "../src/index.ts";

const dir = mkdtempSync(join(tmpdir(), "ccw-loop-changed-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const NO_CONFIG = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: dir, env: NO_CONFIG, encoding: "utf8" });
beforeAll(() => void git("init", "-q"));

/** What git itself says changed between two sets of files. */
function gitPatch(before: Record<string, string>, after: Record<string, string>): string {
  stage(before);
  const from = git("write-tree").trim();
  stage(after);
  return git("-c", "core.quotePath=false", "diff", "--cached", "--find-renames", from);
}

/** Makes the repository's index one of these files alone. */
function stage(files: Record<string, string>): void {
  for (const name of readdirSync(dir)) {
    if (name !== ".git") rmSync(join(dir, name), { recursive: true });
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  git("add", "--all");
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const text = (from: number, to: number) =>
  numbers(from, to)
    .map((n) => `line ${n}\n`)
    .join("");

test.each<[string, Record<string, string>, Record<string, string>, [string, number[]][]]>([
  ["a new file", {}, { "a.js": "1\n2\n" }, [["a.js", [1, 2]]]],
  ["a deleted file", { "a.js": "1\n" }, {}, []],
  [
    "changed, added and removed lines",
    { "a.js": text(1, 40) },
    { "a.js": `new\n${text(2, 20)}${text(23, 39)}last\nmore\n` },
    [["a.js", [1, 38, 39]]],
  ],
  ["only removed lines", { "a.js": text(1, 9) }, { "a.js": text(3, 9) }, []],
  ["a renamed file", { "a.js": text(1, 9) }, { "b.js": text(1, 9) }, []],
  [
    "a renamed and changed file",
    { "a.js": text(1, 9) },
    { "b.js": `${text(1, 9)}ten\n` },
    [["b.js", [10]]],
  ],
  ["a binary file", {}, { "a.png": "a\0b\n" }, []],
  ["no newline at the end", { "a.js": "1\n2" }, { "a.js": "1\n3" }, [["a.js", [2]]]],
  [
    "lines that look like headers",
    {},
    { "a.sql": "++ b/x.js\n-- a\n@@ -1 +1 @@\ndiff --git a/y b/y\n" },
    [["a.sql", [1, 2, 3, 4]]],
  ],
  [
    "removed lines that look like headers",
    { "a.sql": "-- a/x\n++ b/y\nz\n" },
    { "a.sql": "z\n1\n" },
    [["a.sql", [2]]],
  ],
  ["a name with spaces", {}, { "b dir/a b.js": "1\n" }, [["b dir/a b.js", [1]]]],
  ["a name in other letters", {}, { "größe/日本.js": "1\n" }, [["größe/日本.js", [1]]]],
  ["a name that git quotes", {}, { 'a"\\\t\u0001.js': "1\n" }, []],
  ["line ends of Windows and others", {}, { "a.js": "1\r\n2\u2028\f2\r2\r\n" }, [["a.js", [1, 2]]]],
  ["an empty line", { "a.js": "1\n" }, { "a.js": "1\n\n\n" }, [["a.js", [2, 3]]]],
  [
    "several files",
    { "a.js": "1\n", "c.js": "1\n" },
    { "a.js": "2\n", "b/b.js": "1\n", "c.js": "1\n1\n" },
    [
      ["a.js", [1]],
      ["b/b.js", [1]],
      ["c.js", [2]],
    ],
  ],
])("finds the lines of %s", (_, before, after, expected) => {
  expect([...changedLines(gitPatch(before, after))]).toEqual(expected);
});

test("what is left without the added lines was there before, in the same order", () => {
  const lines = fc.array(fc.constantFrom("", "a", "+b", "-c", "++ d", "@@ -1 +9 @@", " e"), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const content = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
      const patch = gitPatch({ x: content(before) }, { x: content(after) });
      const added = new Set(changedLines(patch).get("x"));
      const kept = after.filter((_, at) => !added.has(at + 1));
      let from = 0;
      for (const line of kept) {
        const at = before.indexOf(line, from);
        expect(at).not.toBe(-1);
        from = at + 1;
      }
      const signs = patch.split("\n").filter((line) => /^\+(?!\+\+ b\/x)/.test(line));
      expect(added.size).toBe(signs.length);
    }),
    { numRuns: 15 },
  );
});

test.each<[string, string, [string, number[]][]]>([
  ["nothing", "", []],
  ["prose", "no patch\n+++ b/a.js\n+1\n", []],
  [
    "a hunk that is cut off",
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,9 @@\n+1\n+2",
    [["a", [1, 2]]],
  ],
  [
    "a hunk that promises too much",
    "+++ b/a\n@@ -0,0 +1,9 @@\n+1\ndiff --git a/b b/b\n+++ b/b\n@@ -1 +5 @@\n-x\n+y\n",
    [
      ["a", [1]],
      ["b", [5]],
    ],
  ],
  [
    "files without git's own header",
    "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n x\n y\n+z\n--- a/b\n+++ b/b\n@@ -0,0 +1 @@\n+q\n",
    [
      ["a", [3]],
      ["b", [1]],
    ],
  ],
  ["a name that is no UTF-8", '+++ "b/\\377.js"\n@@ -0,0 +1 @@\n+1\n', []],
])("reads %s as far as it goes", (_, patch, expected) => {
  expect([...changedLines(patch)]).toEqual(expected);
});

test("takes time in proportion to the patch", () => {
  const shapes = [
    "+",
    "+\n",
    '+++ "\\',
    "@@ -1,1 +1,",
    "@@ -1 +1,999999999 @@\n",
    "diff --git a/a b/a\n+++ b/a\n@@ -0,0 +1 @@\n+\n",
  ];
  for (const shape of shapes) {
    const started = performance.now();
    changedLines(shape.repeat(Math.ceil(4_000_000 / shape.length)));
    expect(performance.now() - started, shape).toBeLessThan(10_000);
  }
});

test("tells which changed lines ran", () => {
  const file = (path: string, hit: number[], missed: number[]) => ({ path, lines: 0, hit, missed });
  const files = [
    file("a.js", [1, 2, 9], [4, 5, 8]),
    file("b.js", [1], [2]),
    file("rates-only.js", [], []),
    file("untouched.js", [], [1]),
  ];
  const changed = new Map([
    ["a.js", [2, 3, 4, 5, 6]],
    ["b.js", [1]],
    ["rates-only.js", [1]],
    ["unknown.js", [1, 2, 3]],
  ]);
  expect(changedLineCoverage(files, changed)).toEqual({
    executable: 4,
    covered: 2,
    missed: [{ path: "a.js", lines: [4, 5] }],
  });
  expect(changedLineCoverage([], changed)).toEqual({ executable: 0, covered: 0, missed: [] });
});
