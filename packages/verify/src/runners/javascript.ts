import { NODE_LINES } from "./node-lines.ts";
import { NODE_REPORTER, NODE_VARIABLE, nodeReporterOptions } from "./node-reporter.ts";
import {
  byArguments,
  filesEnding,
  oneFile,
  type Runner,
  reportFile,
  withArguments,
} from "./runner.ts";

export const JAVASCRIPT = {
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
