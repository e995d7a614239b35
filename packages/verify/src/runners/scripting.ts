import { withArguments } from "./arguments.ts";
import { byArguments } from "./by-arguments.ts";
import { oneFile, reportFile } from "./report-files.ts";
import type { Runner } from "./runner.ts";

/** Python, PHP and the shell. */
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
  // 2 also says "an error", which its report has as well.
  phpunit: byArguments("junit", (file) => ["--log-junit", file], { failureCodes: [1, 2] }),
  // Also where its output is taken for a terminal's. Tests print into it only through a descriptor made for that.
  bats: {
    format: "tap",
    prepare: ({ command }) => ({ command: withArguments(command, ["--tap"]) }),
    reports: "stdout",
    failureCodes: [1],
  },
} satisfies Record<string, Runner>;
