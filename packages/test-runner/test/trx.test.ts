import { describe, expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

const result = (id: string, outcome: string) =>
  `<UnitTestResult testId="${id}" testName="${id}"${outcome && ` outcome="${outcome}"`}/>`;
const trx = (results: string, summary = '<ResultSummary outcome="Completed"/>') =>
  `<?xml version="1.0"?><TestRun><Results>${results}</Results>${summary}</TestRun>`;

describe("trx", () => {
  test("reads dotnet's report, with classes that it names elsewhere and rows that count by themselves", () => {
    const report = parse("trx", recorded("dotnet.trx"));
    expect(report).toMatchObject({
      damage: null,
      unnamedFailure: null,
      counts: { total: 5, passed: 2, failed: 2, skipped: 1 },
    });
    expect(outline(report)).toEqual([
      "Shop.Tests.BillTests: Rounds(value: 2) = failed",
      "Shop.Tests.CartTests: Sums (2,2) = failed",
      "Shop.Tests.BillTests: Adds = passed",
      "Shop.Tests.CartTests: Ships = skipped",
      "Shop.Tests.CartTests: Sums (1,2) = passed",
    ]);
    expect(report.tests[0]).toMatchObject({
      duration_ms: 62_500,
      error_message: expect.stringContaining("Expected: 3"),
      stack_trace: expect.stringContaining("BillTests.cs:line 27"),
    });
    expect(report.tests[2]?.duration_ms).toBe(2.5);
  });

  test.each([
    ["Passed", "passed"],
    ["Failed", "failed"],
    ["Timeout", "failed"],
    ["Aborted", "failed"],
    ["PassedButRunAborted", "failed"],
    ["a new word", "failed"],
    ["", "failed"],
    ["NotExecuted", "skipped"],
    ["Inconclusive", "skipped"],
  ])("the outcome %j means %s", (outcome, status) => {
    expect(parse("trx", trx(result("a", outcome))).tests[0]?.status).toBe(status);
  });

  test("reads definitions that stand before the results", () => {
    const definitions =
      '<TestDefinitions><UnitTest id="a"><TestMethod className="Shop.Bill"/></UnitTest></TestDefinitions>';
    const text = trx(result("a", "Passed")).replace("<Results>", `${definitions}<Results>`);
    expect(outline(parse("trx", text))).toEqual(["Shop.Bill: a = passed"]);
  });

  test("is damaged wherever it is cut off", () => {
    const whole = recorded("dotnet.trx").trimEnd();
    for (let end = 0; end < whole.length; end += 97) {
      expect(parse("trx", whole.slice(0, end), 4096).damage, `cut at ${end}`).not.toBeNull();
    }
  });

  test.each([
    [
      "a run that was aborted",
      trx(
        result("a", "Passed"),
        '<ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>The active test run was aborted. Reason: Test host process crashed</Text></RunInfo></RunInfos></ResultSummary>',
      ),
      "aborted",
    ],
    ["a report without a summary", trx(result("a", "Passed"), ""), "no summary"],
    ["other XML", "<testsuites></testsuites>", "no TRX"],
    [
      "declared entities",
      `<!DOCTYPE a [<!ENTITY x "y">]>${trx(result("&x;", "Passed"))}`,
      "document type",
    ],
  ])("refuses %s", (_, text, reason) => {
    expect(parse("trx", text, 4096).damage).toContain(reason);
  });

  test.each([
    ['<ResultSummary outcome="Failed"/>'],
    ['<ResultSummary outcome="Completed"><Counters failed="1"/></ResultSummary>'],
  ])("notices a failure that no test has: %s", (summary) => {
    expect(parse("trx", trx(result("a", "Passed"), summary)).unnamedFailure).not.toBeNull();
  });
});
