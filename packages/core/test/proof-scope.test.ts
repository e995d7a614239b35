import { expect, test } from "vitest";
import {
  Baseline,
  fitsPath,
  fitsTest,
  type Settings,
  scopeOf,
  type TestStates,
} from "../src/index.ts";
import { AT, loop } from "./given.ts";

const TESTS: TestStates = {
  "test/cart.test.js > adds prices": "failed",
  "test/cart.test.js > takes a coupon": "failed",
  "test/mail.test.js > reaches the server": "failed",
  "test/mail.test.js > has a subject": "passed",
};
const RED = Object.keys(TESTS).slice(0, 3);

function baseline(tests: TestStates): Baseline {
  const counts = { total: 4, passed: 1, failed: 3, skipped: 0 };
  return Baseline.parse({ at: AT, tree: "t", command: "npm test", reason: "", counts, tests });
}

function owed(description: string, settings: Settings = {}): string[] {
  return scopeOf(loop({ title: description, description, settings, baseline: baseline(TESTS) }))
    .owed;
}

test.each<[string, string, Settings, readonly string[]]>([
  ["a repair owes every red test", "Make the failing tests pass", {}, RED],
  ["so does a bug", "The totals are wrong in the cart", {}, RED],
  ["a feature owes none", "Add a --json flag", {}, []],
  [
    "nor does one whose words only contain a word of repair",
    "Add a prefix for greenhouses",
    {},
    [],
  ],
  ["a test that the task names is owed alone", 'Fix "takes a coupon"', {}, [RED[1] ?? ""]],
  ["so are those of a file that it names", "Fix test/cart.test.js", {}, RED.slice(0, 2)],
  ["also by the file's own name", "fix cart.test.js please", {}, RED.slice(0, 2)],
  ["targets win over the task", "Fix everything", { targets: ["coupon"] }, [RED[1] ?? ""]],
  ["with wildcards", "Add a flag", { targets: ["test/cart*"] }, RED.slice(0, 2)],
  ["known-red tests are not owed", "Fix everything", { known_red: ["mail"] }, RED.slice(0, 2)],
  ["not even as targets", "Fix it", { known_red: ["mail"], targets: ["test/*"] }, RED.slice(0, 2)],
  ["all of them known", "Fix everything", { known_red: ["*"] }, []],
])("%s", (_, description, settings, expected) => {
  expect(owed(description, settings)).toEqual(expected);
});

test("what was asked when the baseline was taken counts, whatever somebody makes of it later", () => {
  const asked = { ...baseline(TESTS), asked: "Fix the failing tests" };
  const edited = loop({ title: "Add a flag", description: "Add a flag", baseline: asked });
  expect(scopeOf(edited).owed).toEqual(RED);
});

test("owed and known-red are all that failed before, and a reason is given", () => {
  for (const text of ["Fix it", "Add a flag", "Fix test/cart.test.js"]) {
    const scope = scopeOf(loop({ title: text, description: text, baseline: baseline(TESTS) }));
    expect([...scope.owed, ...scope.known_red].sort()).toEqual([...RED].sort());
    expect(scope.reason).toMatch(/\.$/);
  }
  expect(scopeOf(loop()).owed).toEqual([]);
});

test.each([
  ["cart", "a > cart > b", true],
  ["Cart", "a > cart", false],
  ["a*", "a > cart", true],
  ["*cart", "a > cart", true],
  ["*cart", "a > cart > b", false],
  ["a.c", "abc", false],
  ["a(*)", "a(1)", true],
])("the test pattern %s and the test %s: %s", (pattern, id, fits) => {
  expect(fitsTest(pattern, id)).toBe(fits);
});

test.each([
  ["test/a.js", "test/a.js", true],
  ["./test/a.js", "test/a.js", true],
  ["test", "test/deep/a.js", true],
  ["test/", "test/a.js", true],
  ["tes", "test/a.js", false],
  ["test/*.js", "test/a.js", true],
  ["test/**/*.js", "test/a.js", true],
  ["test/**/*.js", "test/deep/a.js", true],
  ["**/*.snap", "a/b/c.snap", true],
  ["*.py", "src/a.js", false],
])("the path pattern %s and the path %s: %s", (pattern, path, fits) => {
  expect(fitsPath(pattern, path)).toBe(fits);
});
