/** What tools print when a run fails for more than its failed tests, which no report says. */
const PATTERNS: readonly RegExp[] = [
  // Coverage below its threshold: vitest and c8, jest, node, pytest-cov, SimpleCov.
  /^ERROR: Coverage for .* does not meet .*$/m,
  /^Jest: .* coverage threshold .* not met.*$/m,
  /^(?:FAIL|ERROR:?) .*coverage.*(?:not reached|less than fail-under).*$/im,
  /^.*\bcoverage (?:does not meet threshold|\(.*\) is below the expected minimum).*$/m,
  // Errors outside of all tests: vitest, Bun.
  /^⎯+ Unhandled (?:Errors?|Rejection) ⎯+$/m,
  /^# Unhandled error between tests$/m,
  // Modules that were not compiled, not tested or not otherwise checked: Maven, Gradle, .NET.
  /^\[ERROR\] COMPILATION ERROR.*$/m,
  /^\[INFO\] .* \.+ SKIPPED.*$/m,
  /^\[ERROR\] Failed to execute goal (?!.*(?:surefire|failsafe)).*$/m,
  /^.*: error [A-Z]{2,}\d+: .*\[.*proj(?:::.*)?\]$/m,
  /^.*The forked VM terminated .*$/m,
  /^Execution failed for task '(?![^']*[tT]est'\.$).*$/m,
];

/** The first line of an output that tells of a failure besides failed tests. */
export function otherFailure(output: string): string | null {
  for (const pattern of PATTERNS) {
    const found = pattern.exec(output)?.[0];
    if (found !== undefined) return found.trim();
  }
  return null;
}
