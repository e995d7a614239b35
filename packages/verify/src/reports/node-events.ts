import { z } from "zod";
import type { Collector } from "./collector.ts";
import { headOf } from "./jest-json.ts";
import { lineCutter } from "./lines.ts";
import type { ReportParser } from "./parser.ts";

/** One line of `runners/node-reporter.ts`. */
const NodeLine = z.union([
  z.object({ end: z.literal(true) }),
  z.object({
    name: z.string(),
    file: z.string(),
    parents: z.array(z.string()),
    status: z.enum(["passed", "failed", "skipped"]),
    duration_ms: z.number(),
    stack: z.string(),
  }),
]);

/** What our reporter inside `node --test` wrote. */
export function nodeEventsParser(
  collector: Collector,
  relative: (file: string) => string,
): ReportParser {
  let ended = false;
  let broken = false;
  const lines = lineCutter((bytes) => {
    const line = parseLine(bytes);
    if (line === null) broken = true;
    else if ("end" in line) ended = true;
    else {
      const { stack, status } = line;
      const name = [...line.parents, line.name].join(" > ");
      const suite = relative(line.file);
      const message = headOf(stack);
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

function parseLine(bytes: Buffer): z.infer<typeof NodeLine> | null {
  try {
    return NodeLine.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}
