import { expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

test("reads what our reporter writes inside mocha", () => {
  const report = parse("event-lines", recorded("mocha.ndjson"));
  expect(report).toMatchObject({ damage: null, counts: { total: 6, passed: 2, skipped: 2 } });
  expect(outline(report).slice(0, 3)).toEqual([
    "test/a.js: bill > rounds = failed",
    'test/a.js: bill > hooked > "before all" hook for "never" = failed',
    "test/a.js: top <é> = passed",
  ]);
  expect(report.tests[0]?.error_message).toBe("1 == 2");
  expect(report.tests[0]?.stack_trace).toContain("test/a.js:2");
});

test("reads what our module writes inside unittest", () => {
  const report = parse("event-lines", recorded("unittest.ndjson"));
  expect(report).toMatchObject({ damage: null, counts: { total: 11, passed: 1, skipped: 3 } });
  expect(outline(report)).toContain(": setUpClass (test_bill.Broken) = failed");
  expect(outline(report)).toContain("test_bill.BillTest: test_subs = failed");
  expect(outline(report)).toContain("test_bill.BillTest: test_known = skipped");
  const fails = report.tests.find(({ test_name }) => test_name === "test_fails");
  expect(fails).toMatchObject({
    suite: "test_bill.BillTest",
    error_message: "AssertionError: 3 != 2 : grüßt",
    stack_trace: expect.stringContaining("test_bill.py"),
  });
});

test.each([
  [
    "no end",
    '{"name":"a","file":"","parents":[],"status":"passed","duration_ms":1,"stack":""}',
    "cut off",
  ],
  ["a line that is cut off", '{"name":"a","file', "damaged"],
  ["a line that is none of ours", '{"name":"a"}\n{"end":true}', "damaged"],
  ["a test after the end", '{"end":true}\n{"end":true}', "damaged"],
  ["nothing", "", "cut off"],
])("is damaged by %s", (_, text, reason) => {
  expect(parse("event-lines", text).damage).toContain(reason);
});
