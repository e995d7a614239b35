import { z } from "zod";
import { jsonReader } from "../readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

const Assertion = z.object({
  ancestorTitles: z.array(z.string()).default([]),
  title: z.string(),
  status: z.string(),
  duration: z.number().nullish(),
  failureMessages: z.array(z.string()).default([]),
});

/** The parts of the report that are looked at; everything else (coverage maps!) is dropped while it streams by. */
const FILES = "$.testResults.*";
const PATHS = [
  "$.success",
  "$.numFailedTests",
  `${FILES}.name`,
  `${FILES}.status`,
  `${FILES}.message`,
  `${FILES}.assertionResults.*`,
];

/** The tests of one file, held until the file's name is known: it may come after them. */
interface OpenFile {
  index: number;
  name: string;
  status: string;
  message: string;
  failed: number;
  tests: z.infer<typeof Assertion>[];
}

/** jest names a file after its tests; of a file with more tests than this the first ones stay without. */
const HELD = 5000;

/** The JSON report of jest and vitest, which is one format. `relative` shortens its absolute file names. */
export function jestJsonParser(
  collector: Collector,
  relative: (file: string) => string,
): ReportParser {
  let file: OpenFile | null = null;
  let failed = 0;
  let success = true;
  let declaredFailures = 0;

  const reader = jsonReader(PATHS, ({ value, key, keys }) => {
    if (keys.length === 0) {
      if (key === "success") success = value !== false;
      if (key === "numFailedTests") declaredFailures = Number(value);
      return;
    }
    const current = fileAt(Number(keys[1]));
    if (keys.length === 2) {
      if (key === "name" || key === "status" || key === "message") current[key] = String(value);
      return;
    }
    const test = Assertion.safeParse(value);
    if (!test.success) return reader.refuse("a test in it has no title or status");
    current.tests.push(test.data);
    if (current.tests.length >= HELD) flush(current);
  });

  function fileAt(index: number): OpenFile {
    if (file?.index !== index) {
      closeFile();
      file = { index, name: "", status: "", message: "", failed: 0, tests: [] };
    }
    return file;
  }

  function flush(from: OpenFile): void {
    const suite = relative(from.name);
    for (const test of from.tests) {
      const status = statusOf(test.status);
      if (status === "failed") from.failed += 1;
      const stack = test.failureMessages.join("\n");
      const name = [...test.ancestorTitles, test.title].join(" > ");
      const durationMs = test.duration ?? undefined;
      collector.add({ suite, name, status, durationMs, message: headOf(stack), stack });
    }
    from.tests = [];
  }

  function closeFile(): void {
    if (!file) return;
    flush(file);
    failed += file.failed;
    // A file that fails as a whole (import error, failing hook) names no test.
    if (file.status === "failed" && file.failed === 0) {
      failed += 1;
      const suite = relative(file.name);
      collector.add({ suite, name: "(file)", status: "failed", message: file.message.trim() });
    }
    file = null;
  }

  return {
    write: reader.write,
    end() {
      closeFile();
      if (failed === 0 && (!success || declaredFailures > 0)) {
        collector.addUnnamedFailure(
          "it says that the run did not succeed but names no failed test",
        );
      }
      return reader.end();
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
