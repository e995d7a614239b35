import type { CommandRun, TestResult } from "@ccw-loop/core";
import { expect, test } from "vitest";
import type { PartRun } from "../src/run-part.ts";
import { combineParts } from "../src/run-plan.ts";

const one = (name: string, status: TestResult["status"]): TestResult => ({
  test_name: name,
  suite: "",
  status,
  duration_ms: 0,
  error_message: null,
  stack_trace: null,
});

function part(
  verdict: CommandRun["verdict"],
  tests: TestResult[] | null,
  outputTail = "",
): PartRun {
  const of = (status: string) => tests?.filter((test) => test.status === status).length ?? 0;
  const counts = {
    total: tests?.length ?? 0,
    passed: of("passed"),
    failed: of("failed"),
    skipped: of("skipped"),
  };
  const run: CommandRun = {
    command: `run ${verdict}`,
    exit_code: verdict === "passed" ? 0 : 7,
    duration_ms: 10,
    report: tests && "tap",
    runner: null,
    counts,
    verdict,
    reason: `It is ${verdict}.`,
  };
  const report = tests && {
    format: "tap",
    damage: null,
    unnamedFailure: null,
    running: [],
    counts,
    tests,
  };
  return { run, report, outputTail };
}

const many = (count: number, status: TestResult["status"]) =>
  Array.from({ length: count }, (_, n) => one(`${status} ${n}`, status));

test("says what all tests of a chain that passed came to, whichever command had them", () => {
  const chain = [part("passed", [one("a", "passed"), one("b", "skipped")]), part("passed", null)];
  expect(combineParts(chain)).toMatchObject({
    passed: true,
    exit_code: 0,
    report: "tap",
    reason: "1 test passed, 1 skipped.",
    duration_ms: 20,
  });
});

test("says what its last command says where none has tests", () => {
  const result = combineParts([part("passed", null), part("passed", null)]);
  expect(result).toMatchObject({ passed: true, report: null, reason: "It is passed." });
});

test("is decided by the first command that did not pass", () => {
  const chain = [
    part("passed", [one("a", "passed")]),
    part("tests_failed", [one("b", "failed")]),
    part("untrusted", null),
  ];
  expect(combineParts(chain)).toMatchObject({
    passed: false,
    exit_code: 7,
    report: "tap",
    reason: "It is tests_failed.",
    counts: { total: 2, passed: 1, failed: 1 },
  });
});

test("keeps 1000 failed and 50000 other tests of all commands, failed ones first", () => {
  const chain = [
    part("tests_failed", [...many(700, "failed"), ...many(30_000, "passed")]),
    part("tests_failed", [...many(700, "failed"), ...many(30_000, "skipped")]),
  ];
  const { counts, tests } = combineParts(chain);
  expect(counts).toEqual({ total: 61_400, passed: 30_000, failed: 1400, skipped: 30_000 });
  expect(tests).toHaveLength(51_000);
  expect(tests.findIndex(({ status }) => status !== "failed")).toBe(1000);
});

test("keeps the output of the command that decides, and of all that did not pass", () => {
  const fine = part("passed", null, "fine\n");
  expect(combineParts([part("untrusted", null, "broken\n"), fine]).output_tail).toBe("broken\n");
  const long = `${"x".repeat(64 * 1024)}end`;
  const both = combineParts([part("untrusted", null, long), fine, part("tests_failed", [], long)]);
  expect(both.output_tail).toMatch(/^\$ run untrusted\nx+end\n\$ run tests_failed\nx+end$/);
  expect(both.output_tail.length).toBeLessThanOrEqual(64 * 1024);
});
