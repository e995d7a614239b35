import { fileURLToPath } from "node:url";
import { NODE_VARIABLE } from "./node-reporter.ts";
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
    // Arguments would have to stand before the file names; NODE_OPTIONS reaches every form of the command.
    prepare: ({ command, reports, env }) => ({
      command,
      env: {
        NODE_OPTIONS: `${env.NODE_OPTIONS ?? ""} ${nodeReporterOptions()}`.trim(),
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

/** The words of NODE_OPTIONS that ask for our report beside what Node prints. */
export function nodeReporterOptions(): string {
  return [
    "--test-reporter=spec --test-reporter-destination=stdout",
    `--test-reporter=${nodeReporterUrl()} --test-reporter-destination=stderr`,
  ].join(" ");
}

/** Source or build: the reporter stands beside this file. */
export function nodeReporterUrl(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./node-reporter.${extension}`, import.meta.url).href;
}

export function nodeReporterPath(): string {
  return fileURLToPath(nodeReporterUrl());
}
