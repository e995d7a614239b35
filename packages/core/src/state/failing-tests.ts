import type { SkillState } from "./skill-state.ts";

/** The tests that fail now and count: new failures and those the loop owes; without a baseline, all that failed. */
export function failingTests(skill: SkillState | null | undefined): string[] {
  const { validate } = skill ?? {};
  if (!validate || validate.passed) return [];
  const { new_failures = [], owed = [] } = validate.comparison ?? {};
  const counting = [...new Set([...new_failures, ...owed])];
  return counting.length > 0 ? counting : validate.failed_tests;
}
