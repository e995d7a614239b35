/** Which runner a test file is for, by what it loads or, for those that have globals, how it asserts. */
const RUNNER_PATTERNS: readonly [RegExp, string][] = [
  [/["']node:test["']/, "node-test"],
  [/["']vitest["']/, "vitest"],
  [/["']ava["']/, "ava"],
  [/["']tape["']/, "tape"],
  [/["']tap["']/, "tap"],
  [/["']uvu["']/, "uvu"],
  [/["']bun:test["']/, "bun"],
  [/["']@jest\/globals["']|\bjest\.\w+\(|\bexpect\([^\n]*\)\.(not\.)?to[A-Z]/, "jest"],
  [/["'](chai|(node:)?assert(\/strict)?)["']/, "mocha"],
  [/^(async )?def test|^\s*(import|from) pytest\b/m, "pytest"],
  [/^\s*(import|from) unittest\b/m, "unittest"],
  [
    /^\s*class \w+ *< *((Minitest|Test::Unit|Active\w+|Action\w+)::)\w*TestCase\b|^\s*class \w+ *< *Minitest::Test\b/m,
    "minitest",
  ],
  [/^@test /m, "bats"],
];

/** The report by which the runner of a test file is known; a script may start several. */
export function runnerOfTestFile(report: string, text: string): string {
  if (report === "borp") return "node-test";
  if (report !== "script") return report;
  return RUNNER_PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? "exit-code";
}
