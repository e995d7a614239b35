import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { filesUnder } from "../files/walk.ts";
import { withArguments } from "./arguments.ts";
import { REPORTS_VARIABLE } from "./node-reporter.ts";
import type { RunContext, Runner } from "./runner.ts";

/** The names that `VerifyPlan.report` may hold beside `exit-code`. */
export type RunnerName =
  | "vitest"
  | "jest"
  | "mocha"
  | "node-test"
  | "pytest"
  | "go"
  | "maven"
  | "gradle";

const reportFile = ({ reports }: RunContext) => join(reports, "report");
const oneFile = async (context: RunContext) => existing([reportFile(context)]);

const RUNNERS: Readonly<Record<RunnerName, Runner>> = {
  vitest: {
    format: "jest-json",
    prepare: (context) => ({
      command: withArguments(context.command, [
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${reportFile(context)}`,
      ]),
    }),
    reports: oneFile,
  },
  jest: {
    format: "jest-json",
    prepare: (context) => ({
      command: withArguments(context.command, ["--json", `--outputFile=${reportFile(context)}`]),
    }),
    reports: oneFile,
  },
  mocha: {
    format: "tap",
    prepare: ({ command }) => ({
      command: withArguments(command, ["--reporter=tap", "--reporter-option=tapVersion=13"]),
    }),
    reports: "stdout",
  },
  "node-test": {
    format: "node-events",
    // Arguments would have to stand before the file names; NODE_OPTIONS reaches every form of the command.
    prepare: ({ command, reports, env }) => ({
      command,
      env: {
        NODE_OPTIONS: [
          env.NODE_OPTIONS ?? "",
          "--test-reporter=spec --test-reporter-destination=stdout",
          `--test-reporter=${nodeReporterUrl()} --test-reporter-destination=stderr`,
        ]
          .join(" ")
          .trim(),
        [REPORTS_VARIABLE]: reports,
      },
    }),
    reports: async ({ reports }) =>
      (await readdir(reports))
        .filter((name) => name.endsWith(".ndjson"))
        .map((name) => join(reports, name)),
  },
  pytest: {
    format: "junit",
    prepare: (context) => ({
      command: context.command,
      env: {
        PYTEST_ADDOPTS: `${context.env.PYTEST_ADDOPTS ?? ""} --junitxml="${reportFile(context)}"`,
      },
    }),
    reports: oneFile,
  },
  go: {
    format: "go-json",
    prepare: ({ command }) => ({
      command: /\s-json\b/.test(command)
        ? command
        : command.replace(/\bgo test\b/, "go test -json"),
    }),
    reports: "stdout",
  },
  maven: {
    format: "junit",
    prepare: ({ command }) => ({ command }),
    reports: ({ cwd }, since) =>
      freshFiles(cwd, /(^|\/)target\/(surefire|failsafe)-reports\/TEST-[^/]*\.xml$/, since),
  },
  gradle: {
    format: "junit",
    prepare: ({ command }) => ({ command }),
    reports: ({ cwd }, since) =>
      freshFiles(cwd, /(^|\/)build\/test-results\/.*TEST-[^/]*\.xml$/, since),
  },
};

/** The runner of a plan; undefined for `exit-code` and for words of other versions. */
export function runnerNamed(report: string): Runner | undefined {
  return Object.hasOwn(RUNNERS, report) ? RUNNERS[report as RunnerName] : undefined;
}

/** Source or build: the reporter stands beside this file. */
function nodeReporterUrl(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./node-reporter.${extension}`, import.meta.url).href;
}

async function existing(files: string[]): Promise<string[]> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return files.filter((_, index) => (found[index]?.size ?? 0) > 0);
}

/** Report files inside the project that this run wrote: runners that cannot be told where to write. */
async function freshFiles(cwd: string, pattern: RegExp, since: number): Promise<string[]> {
  const fresh: string[] = [];
  for await (const path of filesUnder(cwd, { builds: true })) {
    if (!pattern.test(path)) continue;
    const file = join(cwd, path);
    const found = await stat(file).catch(() => null);
    if (found && found.mtimeMs >= since) fresh.push(file);
  }
  return fresh;
}
