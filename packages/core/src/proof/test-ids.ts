import type { TestResult, TestStates } from "../state/test-run.ts";

/** `suite > name`: what a report calls a test. Several tests may share it; `identified` tells them apart. */
export function testId({ suite, test_name }: Pick<TestResult, "suite" | "test_name">): string {
  return suite ? `${suite} > ${test_name}` : test_name;
}

/**
 * Occurrences of one name are numbered so that one more failure is always one more failed identity, and one that is skipped
 * more is one that passes less; whichever of them was repaired, those that were skipped all the time stay the same.
 */
const ORDER: readonly TestResult["status"][] = ["failed", "passed", "skipped"];

/**
 * Every test of a run by its identity: `testId`, and for the second and later tests of that name ` #2`, ` #3`, …
 * Sorted by identity, so that equal runs give equal lists.
 */
export function identified(tests: readonly TestResult[]): [id: string, test: TestResult][] {
  const byName = Map.groupBy(tests, testId);
  const all = [...byName].flatMap(([name, same]) =>
    same
      .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
      .map((test, n): [string, TestResult] => [n === 0 ? name : `${name} #${n + 1}`, test]),
  );
  return all.sort(([a], [b]) => (a < b ? -1 : 1));
}

export function testStates(tests: readonly TestResult[]): TestStates {
  return Object.fromEntries(identified(tests).map(([id, { status }]) => [id, status]));
}

/** The first of the tests on one line, and how many more there are. */
export function testNames(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).map((id) => id.replaceAll(/\s+/g, " ").slice(0, 120));
  return ids.length > 3 ? `${shown.join("; ")}; and ${ids.length - 3} more` : shown.join("; ");
}

/** Which of the files holds a test, where its identity tells: by its path, or by the dotted name that Python makes of it. */
export function fileOfTest(id: string, files: readonly string[]): string | undefined {
  const suite = id.slice(0, Math.max(0, id.indexOf(" > ")));
  // The folder of a suite below the project keeps its form.
  const dotted = suite.replaceAll("/", ".");
  return files.find((file) => {
    const module = file.replace(/\.py$/, "").replaceAll("/", ".");
    return suite === file || dotted === module || dotted.startsWith(`${module}.`);
  });
}

/** Whether a test's id fits what an operator wrote: a part of it, or with `*` the whole of it. Case counts. */
export function fitsTest(pattern: string, id: string): boolean {
  return pattern.includes("*") ? wildcard(pattern).test(id) : id.includes(pattern);
}

/** Whether a path is the one an operator named, lies in a folder of that name, or fits its `*`. */
export function fitsPath(pattern: string, path: string): boolean {
  const plain = pattern.replace(/^\.\//, "").replace(/\/$/, "");
  if (plain.includes("*")) return wildcard(plain).test(path);
  return path === plain || path.startsWith(`${plain}/`);
}

/** `*` and `**` both stand for anything, also for `/`. */
function wildcard(pattern: string): RegExp {
  const parts = pattern.split(/\*+\/?/).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
