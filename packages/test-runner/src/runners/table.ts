import { BY_ENVIRONMENT, SCRIPT } from "./by-environment.ts";
import { NODE_LINES, NODE_REPORTER, NODE_VARIABLE, nodeReporterOptions } from "./node-reporter.ts";
import {
  byArguments,
  filesEnding,
  freshFiles,
  oneFile,
  type Runner,
  reportFile,
  withArguments,
  withArgumentsAfter,
} from "./runner.ts";

/** Makes Gradle run its tests also where it thinks that their last results still hold: those are no fresh report. */
const GRADLE_SCRIPT = `allprojects {
  tasks.withType(Test) {
    outputs.upToDateWhen { false }
    outputs.cacheIf { false }
  }
}
`;

const JAVASCRIPT = {
  vitest: byArguments("jest-json", (file) => [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ]),
  jest: byArguments("jest-json", (file) => ["--json", `--outputFile=${file}`]),
  "node-test": {
    format: "event-lines",
    files: () => ({ "node-lines.cjs": NODE_LINES, "node-reporter.cjs": NODE_REPORTER }),
    // Arguments would have to stand before the file names; NODE_OPTIONS reaches every form of the command.
    prepare: ({ command, reports, env }) => ({
      command,
      env: {
        NODE_OPTIONS: `${env.NODE_OPTIONS ?? ""} ${nodeReporterOptions(reports)}`.trim(),
        [NODE_VARIABLE]: reports,
      },
    }),
    reports: filesEnding(".ndjson"),
    failureCodes: [1],
  },
  bun: byArguments("junit", (file) => ["--reporter=junit", `--reporter-outfile=${file}`]),
  playwright: {
    format: "junit",
    prepare: (context) => ({
      command: withArguments(context.command, ["--reporter=list,junit"]),
      env: {
        PLAYWRIGHT_JUNIT_OUTPUT_FILE: reportFile(context),
        // What older versions call it.
        PLAYWRIGHT_JUNIT_OUTPUT_NAME: reportFile(context),
        // The same test in several browsers is several tests.
        PLAYWRIGHT_JUNIT_INCLUDE_PROJECT_IN_TEST_NAME: "1",
      },
    }),
    reports: oneFile,
    failureCodes: [1],
  },
} satisfies Record<string, Runner>;

const AVA: Runner = { ...BY_ENVIRONMENT, failureCodes: [1] };

const RUNNERS = {
  ...JAVASCRIPT,
  // Go, Rust, the JVM, .NET and what CMake builds.
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
  // Python, PHP and the shell.
  pytest: {
    format: "junit",
    prepare: (context) => ({
      command: context.command,
      env: {
        PYTEST_ADDOPTS: `${context.env.PYTEST_ADDOPTS ?? ""} --junitxml="${reportFile(context)}"`,
      },
    }),
    reports: oneFile,
    failureCodes: [1],
  },
  // 2 also says "an error", which its report has as well.
  phpunit: byArguments("junit", (file) => ["--log-junit", file], { failureCodes: [1, 2] }),
  // Also where its output is taken for a terminal's. Tests print into it only through a descriptor made for that.
  bats: {
    format: "tap",
    prepare: ({ command }) => ({ command: withArguments(command, ["--tap"]) }),
    reports: "stdout",
    failureCodes: [1],
  },
  mocha: BY_ENVIRONMENT,
  ava: AVA,
  unittest: BY_ENVIRONMENT,
  // Its first versions, which few have by now, cannot be asked.
  tap: SCRIPT,
  tape: BY_ENVIRONMENT,
  uvu: BY_ENVIRONMENT,
  borp: BY_ENVIRONMENT,
  minitest: BY_ENVIRONMENT,
  rspec: BY_ENVIRONMENT,
  prove: BY_ENVIRONMENT,
  script: SCRIPT,
} satisfies Record<string, Runner>;

/** The names that `PlanPart.report` may hold beside `exit-code`. */
export type RunnerName = keyof typeof RUNNERS;

function notYet(command: string, argument: string): string[] {
  return command.includes(argument) ? [] : [argument];
}

/** Runners that are told in the middle of their own command: behind a script nobody can tell them. */
export const ARGUMENTS_INSIDE: ReadonlySet<string> = new Set<RunnerName>([
  "go",
  "cargo",
  "nextest",
]);

/** The runner of a plan; undefined for `exit-code` and for words of other versions. */
export function runnerNamed(report: string): Runner | undefined {
  return Object.hasOwn(RUNNERS, report) ? RUNNERS[report as RunnerName] : undefined;
}
