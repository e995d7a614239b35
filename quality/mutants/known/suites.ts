import type { Mutant } from "../mutant.ts";

const RUNNERS = "packages/test-runner/src/runners";
const SUITES = "packages/test-runner/test/suites.test.ts";
const SCRIPT = "packages/test-runner/test/script.test.ts";
const OUTSIDE = "packages/orchestrator/test/outside.test.ts";

/** Defects of how results are read behind scripts. */
export const mutants: readonly Mutant[] = [
  {
    name: "Runners behind a script are not asked for their reports.",
    file: `${RUNNERS}/by-environment.ts`,
    find: "if (isAsked) {",
    replace: "if (false) {",
    test: { file: SCRIPT, title: "every runner of a script" },
  },
  {
    name: "Runs that a test starts are counted among the project's.",
    file: `${RUNNERS}/by-environment.ts`,
    find: "if (known) take();",
    replace: "if (known);",
    test: { file: SCRIPT, title: "what a test starts itself" },
  },
  {
    name: "A pytest that a test starts writes a report as well.",
    file: `${RUNNERS}/pytest-plugin.ts`,
    find: "FOLDER = os.environ.pop(",
    replace: "FOLDER = os.environ.get(",
    test: { file: SCRIPT, title: "pytest is asked too" },
  },
  {
    name: "A pytest that a test of unittest starts writes a report.",
    file: `${RUNNERS}/unittest-module.ts`,
    find: "os.environ.pop(",
    replace: "os.environ.get(",
    test: { file: SCRIPT, title: "is asked for nothing by unittest" },
  },
  {
    name: "A mocha that is given a reporter need not have a report.",
    file: `${RUNNERS}/recognise.ts`,
    find: 'mocha: () => "mocha",',
    replace: 'mocha: unless("mocha", "--reporter"),',
    test: {
      file: "packages/test-runner/test/asked-reports.test.ts",
      title: "does not pass without one, whatever the words of mocha",
    },
  },
  {
    name: "The runner of a test file behind a script is not known.",
    file: "packages/verify/src/test-text.ts",
    find: 'if (report !== "script") return report;',
    replace: "return report;",
    test: {
      file: "packages/verify/test/checked-suites.test.ts",
      title: "what asks whether it is tested is shown behind a script",
    },
  },
  {
    name: "A run of the tests may take half an hour, whatever the first one took.",
    file: "packages/core/src/machine/limits.ts",
    find: "return took === 0 ? unknown :",
    replace: "return took >= 0 ? unknown :",
    test: { file: "packages/core/test/limits.test.ts", title: "of longer ones" },
  },
  {
    name: "A suite of a folder below is run although one above runs it.",
    file: "packages/test-runner/src/detect/detect.ts",
    find: "isOf(ecosystem, folder) && !isReached(path, ecosystem, all)",
    replace: "isOf(ecosystem, folder)",
    test: { file: SUITES, title: "that the script at the top runs" },
  },
  {
    name: "Tests of equal names in two folders are one.",
    file: "packages/test-runner/src/run-part.ts",
    find: "isAbsolute(suite) ? suite : posix.join(folder, suite)",
    replace: "suite",
    test: { file: SUITES, title: "keep tests of equal names apart" },
  },
  {
    name: "A red test counts as one for which something is missing.",
    file: "packages/test-runner/src/missing.ts",
    find: "if (run !== null && run.counts.passed > 0) return [];",
    replace: "",
    test: {
      file: "packages/test-runner/test/missing.test.ts",
      title: "says nothing where a test passed",
    },
  },
  {
    name: "Turns are paid although the tests cannot be run.",
    file: "packages/orchestrator/src/proof/baseline.ts",
    find: "if (missing.length > 0) throw testsCannotRun(missing);",
    replace: "",
    test: {
      file: "packages/orchestrator/test/setup.test.ts",
      title: "end the loop before the agent is asked anything",
    },
  },
  {
    name: "A test that hangs is not named.",
    file: "packages/test-runner/src/judge.ts",
    find: "runningTests(report)",
    replace: '""',
    test: { file: "packages/test-runner/test/progress.test.ts", title: "in node --test" },
  },
  {
    name: "A command that broke off at the start shows no change when it comes to its end.",
    file: "packages/orchestrator/src/proof/cells.ts",
    find: 'report === null || verdict === "untrusted",',
    replace: "report === null,",
    test: {
      file: "packages/orchestrator/test/square-files.test.ts",
      title: "is a test of its own, also where it has a report now",
    },
  },
  {
    name: "What tests write under new names is a change from outside.",
    file: "packages/orchestrator/src/proof/run-tests.ts",
    find: " && !outputs.has(posix.dirname(path))",
    replace: "",
    test: { file: OUTSIDE, title: "in a folder that holds nothing else" },
  },
  {
    name: "Somebody's new file beside files of the project is taken for one that the tests wrote.",
    file: "packages/orchestrator/src/proof/run-tests.ts",
    find: 'folder === "." || path',
    replace: "path",
    test: { file: OUTSIDE, title: "beside files of the project" },
  },
  {
    name: "A test that was repaired takes the number of one that is skipped.",
    file: "packages/core/src/proof/test-ids.ts",
    find: '["failed", "passed", "skipped"]',
    replace: '["failed", "skipped", "passed"]',
    test: {
      file: "packages/core/test/proof-judge.test.ts",
      title: "those that are skipped all the time stay the same",
    },
  },
  {
    name: "A build folder that names the project's place is lent to clean rooms.",
    file: "packages/workspace-git/src/clean-room/link-dependencies.ts",
    find: ".includes(place)) return [];",
    replace: ".includes(place)) continue;",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "small ignored files are in a room as old as they are",
    },
  },
];
