import { describe, expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

describe("junit", () => {
  test("reads pytest's report", () => {
    const report = parse("junit", recorded("pytest.xml"));
    expect(report).toMatchObject({
      damage: null,
      unnamedFailure: null,
      counts: { total: 5, passed: 1, failed: 2, skipped: 2 },
    });
    expect(outline(report)).toEqual([
      'tests.test_bill: test_total[empty & "odd"] = failed',
      "tests.test_store: test_close = failed",
      "tests.test_bill: test_total = passed",
      "tests.test_bill: test_slow = skipped",
      "tests.test_bill: test_later = skipped",
    ]);
    expect(report.tests[0]?.error_message).toContain("assert 3 == 4");
    expect(report.tests[0]?.stack_trace).toContain(">       assert total([1, 2]) == 4");
    expect(report.tests[2]?.duration_ms).toBe(2);
  });

  test("reads surefire's report, with its thousands and its CDATA", () => {
    const report = parse("junit", recorded("surefire.xml"));
    expect(report.counts).toEqual({ total: 3, passed: 1, failed: 1, skipped: 1 });
    expect(report.tests[0]).toMatchObject({
      test_name: "rounds",
      error_message: "/ by zero",
      stack_trace: "java.lang.ArithmeticException: / by zero\n\tat shop.Bill.round(Bill.java:7)",
    });
    expect(report.tests[1]?.duration_ms).toBe(1_200_250);
  });

  test("reads Gradle's report", () => {
    const report = parse("junit", recorded("gradle.xml"));
    expect(outline(report)).toEqual([
      "shop.CartTest: empties() = failed",
      "shop.CartTest: holds() = passed",
    ]);
    expect(report.tests[0]?.error_message).toContain("expected: <0> but was: <1>");
  });

  test("names a suite by the suites around it where the case has none", () => {
    const report = parse(
      "junit",
      '<testsuites><testsuite name="a"><testsuite name="b"><testcase name="c"/></testsuite></testsuite></testsuites>',
    );
    expect(outline(report)).toEqual(["a > b: c = passed"]);
  });

  test("does not cut characters that arrive in two pieces", () => {
    const report = parse("junit", '<testsuite><testcase name="grüßt 👋"/></testsuite>', 1);
    expect(report.tests[0]?.test_name).toBe("grüßt 👋");
  });

  test("is damaged wherever it is cut off", () => {
    const whole = recorded("surefire.xml").trimEnd();
    expect(parse("junit", whole).damage).toBeNull();
    for (let end = 0; end < whole.length; end += 13) {
      expect(parse("junit", whole.slice(0, end), 4096).damage, `cut at ${end}`).not.toBeNull();
    }
  });

  test("bears references to characters that XML forbids, and takes terminal colours away", () => {
    const report = parse(
      "junit",
      '<testsuite><testcase name="a"><failure message="&#27;[31mred">\u001b[1mbold</failure></testcase></testsuite>',
    );
    expect(report.damage).toBeNull();
    expect(report.tests[0]?.stack_trace).toBe("bold");
  });

  test("says when a suite counts failures that no case has", () => {
    const report = parse(
      "junit",
      '<testsuites><testsuite failures="1"><testcase name="a"/></testsuite></testsuites>',
    );
    expect(report.unnamedFailure).toContain("1 failures");
  });

  const bomb = `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(1000)}"><!ENTITY c "${"&b;".repeat(1000)}">]>`;
  test.each([
    ["an entity bomb", `${bomb}<testsuite><testcase name="&c;"/></testsuite>`, "document type"],
    [
      "an entity from a file",
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>',
      "document type",
    ],
    ["endless nesting", "<testsuite>".repeat(200), "nested too deeply"],
    [
      "endless attributes",
      `<testsuite ${[...Array(2000).keys()].map((n) => `a${n}=""`).join(" ")}/>`,
      "attributes",
    ],
    ["other XML", "<html><body/></html>", "not JUnit XML"],
    ["no XML", "all tests passed", ""],
    ["an empty file", "", ""],
    ["mismatched tags", "<testsuite><testcase></testsuite>", ""],
  ])("refuses %s", (_, text, reason) => {
    const report = parse("junit", text, 4096);
    expect(report.damage).not.toBeNull();
    expect(report.damage).toContain(reason);
  });

  test("replaces no entity that a document type without declarations might mean", () => {
    const report = parse(
      "junit",
      '<!DOCTYPE testsuite SYSTEM "junit.dtd"><testsuite><testcase name="&secret; &lt;"/></testsuite>',
    );
    expect(report.tests[0]?.test_name).toBe("&secret; <");
  });
});
