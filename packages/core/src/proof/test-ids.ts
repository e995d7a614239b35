import type { TestResult, TestStates } from "../state/receipt.ts";

/** A test's name as `failed_tests`, the baseline and the receipts spell it. */
export function testId({ suite, test_name }: Pick<TestResult, "suite" | "test_name">): string {
  return suite ? `${suite} > ${test_name}` : test_name;
}

const WORSE: readonly TestResult["status"][] = ["skipped", "passed", "failed"];

/** Every test with how it ended; of several that share an id, the worst. */
export function testStates(tests: readonly TestResult[]): TestStates {
  const states = new Map<string, TestResult["status"]>();
  for (const test of tests) {
    const id = testId(test);
    const before = states.get(id);
    if (before === undefined || WORSE.indexOf(test.status) > WORSE.indexOf(before)) {
      states.set(id, test.status);
    }
  }
  return Object.fromEntries([...states].sort(([a], [b]) => (a < b ? -1 : 1)));
}
