import { withArguments, withArgumentsAfter } from "./arguments.ts";
import { byArguments } from "./by-arguments.ts";
import { GRADLE_SCRIPT } from "./gradle-script.ts";
import { filesEnding, freshFiles, oneFile, reportFile } from "./report-files.ts";
import type { Runner } from "./runner.ts";

/** Go, Rust, the JVM, .NET and what CMake builds. */
export const COMPILED = {
  go: {
    format: "go-json",
    // A cached result is no run.
    prepare: ({ command }) => ({
      command: withArgumentsAfter(command, /\bgo\s+test\b/, [
        ...(/\s--?json\b/.test(command) ? [] : ["-json"]),
        ...(/\s--?count\b/.test(command) ? [] : ["-count=1"]),
      ]),
    }),
    reports: "stdout",
    // 2: a package was not built, which its report names.
    failureCodes: [1, 2],
  },
  cargo: {
    format: "libtest",
    // Which program its lines belong to is said on stderr.
    prepare: ({ command }) => ({
      command: `${withArgumentsAfter(command, /\bcargo\s+(?:\+\S+\s+)?(?:test|t)\b/, notYet(command, "--no-fail-fast"))} 2>&1`,
      env: { CARGO_TERM_COLOR: "never" },
    }),
    reports: "stdout",
    failureCodes: [101],
  },
  nextest: {
    format: "junit",
    files: (context) => ({
      "nextest.toml": `[profile.default.junit]\npath = ${JSON.stringify(reportFile(context))}\n`,
    }),
    prepare: ({ command, reports }) => ({
      command: withArgumentsAfter(command, /\bnextest\s+(?:run|r)\b/, [
        "--tool-config-file",
        `ccwloop:${reports}/nextest.toml`,
        ...notYet(command, "--no-fail-fast"),
      ]),
    }),
    // A project that configures a file of its own has the last word.
    reports: async (context, since) => {
      const own = await oneFile(context);
      return own.length > 0
        ? own
        : freshFiles(/^target\/nextest\/[^/]+\/[^/]+\.xml$/)(context, since);
    },
    failureCodes: [100],
  },
  maven: {
    format: "junit",
    prepare: ({ command }) => ({
      command: /\s(-fae|-ff|-fn|--fail-\S+)\b/.test(command) ? command : `${command} --fail-at-end`,
    }),
    reports: freshFiles(/(^|\/)target\/(surefire|failsafe)-reports\/TEST-[^/]*\.xml$/),
  },
  gradle: {
    format: "junit",
    files: () => ({ "rerun.gradle": GRADLE_SCRIPT }),
    prepare: ({ command, reports }) => ({
      command: withArguments(command, [
        "--init-script",
        `${reports}/rerun.gradle`,
        ...notYet(command, "--continue"),
      ]),
    }),
    reports: freshFiles(/(^|\/)build\/test-results\/.*TEST-[^/]*\.xml$/),
  },
  dotnet: {
    format: "trx",
    prepare: ({ command, reports }) => ({
      command: withArguments(command, ["--logger", "trx", "--results-directory", reports]),
    }),
    reports: filesEnding(".trx"),
  },
  // 8: tests failed, or could not be run.
  ctest: byArguments("junit", (file) => ["--output-junit", file], { failureCodes: [8] }),
} satisfies Record<string, Runner>;

function notYet(command: string, argument: string): string[] {
  return command.includes(argument) ? [] : [argument];
}
