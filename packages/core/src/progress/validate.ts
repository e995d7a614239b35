import { openObjections } from "../proof/objections.ts";
import { findingAnswer, findingPlace } from "../proof/reviews.ts";
import { testId } from "../proof/test-ids.ts";
import type { LoopState } from "../state/loop-state.ts";
import type { Comparison, Objection, Receipt, Review } from "../state/receipt.ts";
import type { SkillState, ValidateRun } from "../state/skill-state.ts";
import type { TestResult } from "../state/test-run.ts";
import { counted } from "../text.ts";
import { countsOf } from "./data-files.ts";
import { dataPart, heading } from "./data-part.ts";
import { bullets, code, document, inline, metrics, quote, table } from "./markdown.ts";

/** validate.md: one entry per VALIDATE, then the last run in full, and the decision it leads to. */
export function renderValidate(state: LoopState, skill: SkillState): string {
  const { validate } = skill;
  const runs = validate.runs ?? [];
  return document([
    "# Validation Report",
    heading(state, { Validated: validate.last_run_at ?? "Never" }),
    "---",
    "## Validation Timeline",
    ...runs.flatMap(timelineEntry),
    runs.length === 0 ? "_No runs recorded_" : undefined,
    "---",
    `## Iteration ${runs.at(-1)?.iteration ?? 0} - Validation Run`,
    ...(validate.last_run_at === null ? ["_Not run yet_"] : lastRun(state, validate)),
    "---",
    "## Validation Decision",
    `**Result**: ${decisionOf(validate)}`,
    "### Next Actions",
    nextActions(state, validate),
    dataPart("validate", state, { validate }),
  ]);
}

/** `PASS`, `FAIL`, `STALE` (something changed since) or `NOT RUN`. */
function decisionOf(validate: SkillState["validate"]): string {
  if (validate.last_run_at === null) return "NOT RUN";
  if (!validate.passed) return "FAIL";
  return validate.stale === true ? "STALE" : "PASS";
}

function timelineEntry(run: ValidateRun, index: number): string[] {
  return [
    `### Run ${index + 1} - ${run.passed ? "PASS" : "FAIL"} (${run.at})`,
    [
      `- **Iteration**: ${run.iteration}`,
      `- **Command**: ${code(run.command)}`,
      `- **Tests**: ${run.passed_count} of ${run.total} passed`,
      `- **Reason**: ${inline(run.reason)}`,
    ].join("\n"),
    bullets(run.failed_tests, TESTS_SHOWN, (name) => inline(name)) || "_No failed tests_",
  ];
}

function lastRun(state: LoopState, validate: SkillState["validate"]): string[] {
  const counts = countsOf(validate);
  const rate = validate.pass_rate === null ? "N/A" : `${validate.pass_rate}%`;
  const failures = validate.test_results.filter((test) => test.status === "failed");
  const shown = failures.slice(0, 50);
  const known = new Set(failures.map(testId));
  const unnamed = validate.failed_tests.filter((name) => !known.has(name)).slice(0, 50);
  return [
    "### Test Execution Summary",
    metrics({
      "Total Tests": counts.total,
      Passed: counts.passed,
      Failed: counts.failed,
      Skipped: counts.skipped,
      Duration: `${counts.duration_ms}ms`,
      "Pass Rate": rate,
    }),
    ...comparisonReport(validate.comparison),
    ...objectionReport(state, validate),
    ...reviewReport(state),
    "### Coverage Report",
    ...coverageReport(validate),
    "### Failed Tests",
    ...shown.flatMap(failureEntry),
    ...unnamed.map((name) => `#### ${inline(name)}`),
    failures.length > shown.length ? `_… ${failures.length - shown.length} more_` : undefined,
    failures.length + unnamed.length === 0 ? noFailure(validate) : undefined,
  ].filter((part) => part !== undefined);
}

function noFailure(validate: SkillState["validate"]): string {
  return validate.passed ? "_All tests passed_" : "_No failed test is known_";
}

function failureEntry(test: TestResult): string[] {
  return [
    `#### ${inline(test.test_name)}`,
    `- **Suite**: ${inline(test.suite)}`,
    test.error_message ? quote(test.error_message) : "_No error message_",
    test.stack_trace ? quote(test.stack_trace) : "",
  ];
}

function nextActions(state: LoopState, validate: SkillState["validate"]): string {
  const objected = openObjections(state).length > 0;
  const steps: Readonly<Record<string, string[]>> = {
    PASS: [
      ...(objected ? ["Accept or reject what speaks against this run as a proof"] : []),
      "Complete the loop",
      "Review the changes",
    ],
    FAIL: ["Debug the failed tests", "Repair the cause", "Validate again"],
    STALE: ["Validate again: something changed since the last run"],
    "NOT RUN": ["Run the tests"],
  };
  return (steps[decisionOf(validate)] ?? []).map((step, i) => `${i + 1}. ${step}`).join("\n");
}

const TESTS_SHOWN = 20;
const FILES_SHOWN = 50;
const OBJECTIONS_SHOWN = 50;

function coverageReport({ coverage, coverage_files = [] }: SkillState["validate"]): string[] {
  if (coverage === null) return ["_No coverage data available_"];
  const overall = `**Overall Coverage**: ${coverage}%`;
  if (coverage_files.length === 0) return [overall];
  const least = [...coverage_files].sort((a, b) => a.lines - b.lines);
  const more = least.length - FILES_SHOWN;
  return [
    overall,
    table(
      ["File", "Lines"],
      least.slice(0, FILES_SHOWN).map(({ path, lines }) => [path, `${lines}%`]),
    ),
    ...(more > 0 ? [`_… ${more} more files_`] : []),
  ];
}

const GROUPS: readonly [keyof Comparison & string, string][] = [
  ["new_failures", "New failures"],
  ["owed", "Failed before, to be repaired by this loop"],
  ["still_failing", "Failed before and still fail"],
  ["fixed", "Fixed"],
  ["flaky", "Flaky: passed and failed on the same files"],
  ["removed", "Not run any more"],
  ["added", "Added"],
];

function comparisonReport(comparison: Comparison | undefined): string[] {
  if (!comparison) return [];
  const groups = GROUPS.map(([key, title]) => [title, comparison[key] as string[]] as const);
  const counts = groups.map(([title, tests]) => [title, String(tests.length)]);
  return [
    "### Compared with the Baseline",
    table(["Tests", "Count"], counts),
    ...groups.flatMap(([title, tests]) => (tests.length === 0 ? [] : [group(title, tests)])),
  ];
}

function group(title: string, tests: readonly string[]): string {
  return `**${title}**:\n\n${bullets(tests, TESTS_SHOWN, (name) => inline(name))}`;
}

function objectionReport(
  { accepted = [] }: LoopState,
  { objections = [] }: SkillState["validate"],
): string[] {
  if (objections.length === 0) return [];
  const more = objections.length - OBJECTIONS_SHOWN;
  return [
    "### Objections",
    ...objections.slice(0, OBJECTIONS_SHOWN).map((one) => objectionEntry(one, accepted)),
    ...(more > 0 ? [`_… ${more} more_`] : []),
  ];
}

function reviewReport(state: LoopState): string[] {
  const lines = reviewLines(state);
  if (lines.length === 0) return [];
  return ["### Reviews", bullets(lines, OBJECTIONS_SHOWN, (text) => inline(text))];
}

function objectionEntry(objection: Objection, accepted: readonly string[]): string {
  const { key, kind, path, message } = objection;
  const place = path === "" ? "" : ` in ${code(path)}`;
  const standing = accepted.includes(key) ? "ACCEPTED" : "OPEN";
  return `- **${standing}**: ${code(kind)}${place}: ${inline(message)}`;
}

/**
 * Who looked at the work of the newest receipt, round by round, what they found and how it was answered; empty where nobody
 * was asked to.
 */
export function reviewLines(state: Pick<LoopState, "receipts" | "accepted">): string[] {
  const receipt = state.receipts?.at(-1);
  return receipt ? (receipt.reviews ?? []).flatMap((one) => linesOf(one, receipt, state)) : [];
}

function linesOf(
  review: Review,
  { reviews = [], tree_after }: Receipt,
  state: Pick<LoopState, "accepted">,
): string[] {
  const { agent, round, problem, findings, tests } = review;
  if (problem !== undefined) return [`round ${round} by ${agent} was not made: ${problem}`];
  const of = review.tree === tree_after ? "" : ", of earlier files";
  const own = tests.length === 0 ? "" : `, ${counted(tests.length, "test")} of its own`;
  const found = findings.length === 0 ? "no finding" : counted(findings.length, "finding");
  return [
    `round ${round} by ${agent}${of}: ${found}${own}`,
    ...findings.map((one) => {
      const answer = findingAnswer(reviews, state, review, one);
      return `  ${answer}: ${one.problem}${findingPlace(one)}`;
    }),
    ...tests.map(({ path, result, reason }) => {
      const why = result === "not_run" ? ` (${reason})` : "";
      return `  its test ${path}: ${result.replaceAll("_", " ")}${why}`;
    }),
  ];
}
