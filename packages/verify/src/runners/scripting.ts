import { delimiter } from "node:path";
import { withArguments } from "./arguments.ts";
import { byArguments } from "./by-arguments.ts";
import { filesEnding, oneFile, reportFile } from "./report-files.ts";
import type { Runner } from "./runner.ts";
import { UNITTEST_MODULE, UNITTEST_SOURCE } from "./unittest-module.ts";

/** Python, PHP and Ruby. */
export const SCRIPTING = {
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
  unittest: {
    format: "event-lines",
    files: () => ({ [`${UNITTEST_MODULE}.py`]: UNITTEST_SOURCE }),
    prepare: ({ command, reports, env }) => ({
      command: command.replace(/(\s-m\s+)unittest(?=\s|$)/, `$1${UNITTEST_MODULE}`),
      env: { PYTHONPATH: [reports, env.PYTHONPATH].filter(Boolean).join(delimiter) },
    }),
    reports: filesEnding(".ndjson"),
    failureCodes: [1],
  },
  // 2 also says "an error", which its report has as well.
  phpunit: byArguments("junit", (file) => ["--log-junit", file], { failureCodes: [1, 2] }),
  rspec: {
    format: "rspec-json",
    prepare: (context) => ({
      command: withArguments(context.command, [
        ...(/\s(-f|--format)/.test(context.command) ? [] : ["--format", "progress"]),
        ...["--format", "json", "--out", reportFile(context)],
      ]),
    }),
    reports: oneFile,
  },
} satisfies Record<string, Runner>;
