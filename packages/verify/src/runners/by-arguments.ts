import { withArguments } from "./arguments.ts";
import { oneFile, reportFile } from "./report-files.ts";
import type { Runner } from "./runner.ts";

/** A runner that is told by arguments at the end of its command, and writes one file. */
export function byArguments(
  format: Runner["format"],
  argumentsFor: (file: string) => string[],
  more: Partial<Runner> = {},
): Runner {
  return {
    format,
    prepare: (context) => ({
      command: withArguments(context.command, argumentsFor(reportFile(context))),
    }),
    reports: oneFile,
    ...more,
  };
}
