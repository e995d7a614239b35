import { z } from "zod";
import type { Collector } from "./collector.ts";
import { jsonReader } from "./json.ts";
import type { ReportParser } from "./parser.ts";

const Example = z.object({
  full_description: z.string(),
  file_path: z.string().default(""),
  /** Any other word stands at an example in which the run was ended. */
  status: z.enum(["passed", "failed", "pending"]),
  run_time: z.number().nullish(),
  exception: z
    .object({
      class: z.string().nullish(),
      message: z.string().nullish(),
      backtrace: z.array(z.string()).nullish(),
    })
    .nullish(),
});

const Summary = z.object({
  example_count: z.number(),
  failure_count: z.number(),
  errors_outside_of_examples_count: z.number().default(0),
});

/** RSpec's own JSON report. */
export function rspecJsonParser(collector: Collector): ReportParser {
  let examples = 0;
  let failed = 0;
  let summary: z.infer<typeof Summary> | undefined;
  let firstMessage = "";

  const reader = jsonReader(
    ["$.messages.*", "$.examples.*", "$.summary"],
    ({ value, key, depth }) => {
      if (depth === 1) summary = Summary.safeParse(value).data;
      else if (typeof value === "string") firstMessage ||= value.trim().slice(0, 200);
      else {
        const example = Example.safeParse(value);
        if (example.success) add(example.data);
        else reader.refuse(`example ${String(key)} in it has no name or result`);
      }
    },
  );

  function add({ full_description, file_path, status, run_time, exception }: ExampleType): void {
    examples += 1;
    if (status === "failed") failed += 1;
    const message = [exception?.class, exception?.message?.trim()].filter(Boolean).join(": ");
    collector.add({
      suite: file_path.replace(/^\.\//, ""),
      name: full_description,
      status: status === "pending" ? "skipped" : status,
      durationMs: (run_time ?? 0) * 1000,
      message,
      stack: [message, ...(exception?.backtrace ?? [])].join("\n"),
    });
  }

  return {
    write: reader.write,
    end() {
      const problem = reader.end();
      if (problem !== null) return problem;
      if (summary === undefined) return "it has no summary";
      if (summary.example_count !== examples) {
        return `its summary counts ${summary.example_count} examples, but it has ${examples}`;
      }
      const outside = summary.errors_outside_of_examples_count;
      if (outside > 0) {
        collector.addUnnamedFailure(`errors outside of examples (${outside}): ${firstMessage}`);
      } else if (summary.failure_count > 0 && failed === 0) {
        collector.addUnnamedFailure("its summary counts failures, but no example has failed");
      }
      return null;
    },
  };
}

type ExampleType = z.infer<typeof Example>;
