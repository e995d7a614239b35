import { z } from "zod";
import { jsonReader } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

const text = z
  .string()
  .nullish()
  .transform((found) => found ?? "");

const TestFile = z.object({
  name: text,
  status: text,
  message: text,
  assertionResults: z
    .array(
      z.object({
        ancestorTitles: z.array(z.string()).default([]),
        title: z.string(),
        status: z.string(),
        duration: z.number().nullish(),
        failureMessages: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/** The parts of the report that are looked at; everything else (coverage maps!) is dropped. */
const JestReport = z.object({
  success: z.unknown().optional(),
  numFailedTests: z.unknown().optional(),
  testResults: z.array(TestFile).default([]),
});

/** The JSON report of jest and vitest, which is one format. `relative` shortens its absolute file names. */
export function jestJsonParser(
  collector: Collector,
  relative: (file: string) => string,
): ReportParser {
  const reader = jsonReader();

  /** How many tests failed in it. */
  function addFile({ name: file, status, message, assertionResults }: z.infer<typeof TestFile>) {
    const suite = relative(file);
    let failed = 0;
    for (const test of assertionResults) {
      const found = statusOf(test.status);
      if (found === "failed") failed += 1;
      const stack = test.failureMessages.join("\n");
      const name = [...test.ancestorTitles, test.title].join(" > ");
      const durationMs = test.duration ?? undefined;
      collector.add({ suite, name, status: found, durationMs, message: headOf(stack), stack });
    }
    // A file that fails as a whole (import error, failing hook) names no test.
    if (status !== "failed" || failed > 0) return failed;
    collector.add({ suite, name: "(file)", status: "failed", message: message.trim() });
    return 1;
  }

  return {
    write: reader.write,
    end() {
      const read = reader.end();
      if (read.problem !== null) return read.problem;
      const report = JestReport.safeParse(read.value).data;
      if (report === undefined) return "a test in it has no title or status";
      const { success, numFailedTests, testResults } = report;
      const failed = testResults.reduce((sum, file) => sum + addFile(file), 0);
      if (failed === 0 && (success === false || Number(numFailedTests) > 0)) {
        collector.addUnnamedFailure(
          "it says that the run did not succeed but names no failed test",
        );
      }
      return null;
    },
  };
}

function statusOf(word: string): "passed" | "failed" | "skipped" {
  if (word === "passed") return "passed";
  return word === "failed" ? "failed" : "skipped";
}

/** The message of an error's stack: what stands before its first frame. */
export function headOf(stack: string): string {
  const frame = stack.search(/\n\s+at /);
  return (frame === -1 ? stack : stack.slice(0, frame)).trim();
}
