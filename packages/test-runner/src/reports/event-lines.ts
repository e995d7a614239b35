import { tryParseJson } from "@ccw-loop/core";
import { z } from "zod";
import { lineCutter } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";
import { headOf } from "./json-reports.ts";

/** One line of what our own reporters write inside `node --test`, mocha and Python's unittest (`runners/`). */
const EventLine = z.union([
  z.object({ end: z.literal(true) }),
  z.object({
    begin: z.literal(true),
    name: z.string(),
    file: z.string(),
    parents: z.array(z.string()),
  }),
  z.object({
    name: z.string(),
    /** A file, or where the language names it so, a class. */
    file: z.string(),
    parents: z.array(z.string()),
    status: z.enum(["passed", "failed", "skipped"]),
    duration_ms: z.number(),
    /** The stack's own head where it is missing. */
    message: z.string().optional(),
    stack: z.string(),
  }),
]);

/** One JSON object per test, before it another one where the runner tells that it begins, and an end line. */
export function eventLinesParser(
  collector: Collector,
  relative: (file: string) => string,
): ReportParser {
  let ended = false;
  let broken = false;
  const lines = lineCutter((bytes) => {
    const line = parseLine(bytes);
    if (line === null || ended) broken = true;
    else if ("end" in line) ended = true;
    else {
      const name = [...line.parents, line.name].join(" > ");
      const suite = relative(line.file);
      if ("begin" in line) return collector.begin({ suite, name });
      const { stack, status, message = headOf(stack) } = line;
      collector.add({ suite, name, status, durationMs: line.duration_ms, message, stack });
    }
  });
  return {
    write: (chunk) => lines.write(chunk),
    end() {
      lines.end();
      if (ended && !broken) return null;
      return broken ? "a line of it is damaged" : "it is cut off";
    },
  };
}

function parseLine(bytes: Buffer): z.infer<typeof EventLine> | null {
  return EventLine.safeParse(tryParseJson(bytes.toString())).data ?? null;
}
