import { expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

test("names Bun's tests by file and groups, from the outside in", () => {
  const report = parse("junit", recorded("bun.xml"));
  expect(report).toMatchObject({ damage: null, unnamedFailure: null });
  expect(outline(report)).toEqual([
    "a.test.ts > cart > deep: fails <x> = failed",
    "a.test.ts > cart: throws = failed",
    "a.test.ts: adds = passed",
    "a.test.ts > cart: later = skipped",
    "a.test.ts > cart: todo = skipped",
  ]);
  expect(report.tests[0]?.error_message).toContain("Expected: 2");
});

test("keeps Playwright's projects apart", () => {
  const report = parse("junit", recorded("playwright.xml"));
  expect(report).toMatchObject({ damage: null, counts: { total: 10, failed: 2, skipped: 4 } });
  expect(outline(report).slice(0, 3)).toEqual([
    "a.spec.js: [one] cart › fails = failed",
    "a.spec.js: [two] cart › fails = failed",
    "a.spec.js: [one] adds = passed",
  ]);
});

test("takes PHPUnit's risky tests and warnings for what proves nothing", () => {
  const report = parse("junit", recorded("phpunit.xml"));
  expect(report).toMatchObject({ damage: null, unnamedFailure: null });
  expect(outline(report)).toEqual([
    "BillTest: testFails = failed",
    "BillTest: testThrows = failed",
    'BillTest: testMany with data set "two" = failed',
    "BillTest: testAdds = passed",
    "BillTest: testLater = skipped",
    "BillTest: testTodo = skipped",
    "BillTest: testRisky = skipped",
    "BillTest: testMany with data set #0 = passed",
    "unit > EmptyTest: Warning = skipped",
  ]);
  expect(report.tests[0]?.error_message).toBe("Failed asserting that 2 is identical to 3.");
});

test("a run whose only error is a risky test has no failure without a name", () => {
  const text =
    '<testsuites><testsuite errors="1"><testcase name="a"/><testcase name="b">' +
    '<error type="PHPUnit\\Framework\\RiskyTestError"/></testcase></testsuite></testsuites>';
  const report = parse("junit", text);
  expect(report).toMatchObject({ unnamedFailure: null, counts: { passed: 1, skipped: 1 } });
});

test("reads nextest's report: a test that passed at its second try has passed", () => {
  const report = parse("junit", recorded("nextest.xml"));
  expect(report).toMatchObject({ damage: null, unnamedFailure: null });
  expect(outline(report)).toEqual([
    "shop: tests::rounds = failed",
    "shop::cli: aborts = failed",
    "shop: tests::adds = passed",
    "shop::cli: second_try = passed",
  ]);
});

test("a suite that fails outside of its tests is a failure without a name", () => {
  const text = '<testsuite><error message="no database"/><testcase name="a"/></testsuite>';
  expect(parse("junit", text).unnamedFailure).toContain("no database");
});
