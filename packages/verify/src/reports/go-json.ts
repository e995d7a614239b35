import { z } from "zod";
import type { Collector } from "./collector.ts";
import { lineCutter } from "./lines.ts";
import type { ReportParser } from "./parser.ts";

const GoEvent = z.object({
  Action: z.string(),
  Package: z.string().default(""),
  Test: z.string().optional(),
  Elapsed: z.number().optional(),
  Output: z.string().optional(),
  /** Of build events, and of the package that a failed build belongs to. */
  ImportPath: z.string().optional(),
  FailedBuild: z.string().optional(),
});

const OUTPUT_HELD = 8 * 1024;
const ENDS: Readonly<Record<string, "passed" | "failed" | "skipped">> = {
  pass: "passed",
  fail: "failed",
  skip: "skipped",
};

/** The event lines of `go test -json`; other lines between them are passed over. */
export function goJsonParser(collector: Collector): ReportParser {
  /** Output of what still runs: packages by name, tests by package and name. */
  const running = new Map<string, string>();
  const builds = new Map<string, string>();
  const failedIn = new Set<string>();
  let seen = false;

  const lines = lineCutter((line) => {
    const event = parseLine(line);
    if (event) take(event);
  });

  function take(event: z.infer<typeof GoEvent>): void {
    const { Action, Package, Test, Elapsed, Output = "" } = event;
    seen = true;
    if (Action === "build-output")
      builds.set(event.ImportPath ?? "", append(builds, event.ImportPath, Output));
    const id = Test === undefined ? Package : `${Package} ${Test}`;
    const status = ENDS[Action];
    if (Action === "start" || Action === "run") running.set(id, "");
    if (Action === "output" && running.has(id)) running.set(id, append(running, id, Output));
    if (Action === "bench") running.delete(id);
    if (status === undefined) return;
    const output = builds.get(event.FailedBuild ?? "") ?? running.get(id) ?? "";
    running.delete(id);
    if (status === "failed" && Test !== undefined) failedIn.add(Package);
    // A package is no test, but one that fails without a failed test did not build, or died.
    if (Test === undefined && (status !== "failed" || failedIn.has(Package))) return;
    collector.add({
      suite: Package,
      name: Test ?? "(package)",
      status,
      durationMs: (Elapsed ?? 0) * 1000,
      message: output.split("\n").slice(0, 20).join("\n").trim(),
      stack: output.trim(),
    });
  }

  return {
    write: (chunk) => lines.write(chunk),
    end() {
      lines.end();
      if (!seen) return "it has no test event";
      const [first] = running.keys();
      return first === undefined ? null : `it is cut off: ${first} has no result`;
    },
  };
}

function append(outputs: Map<string, string>, id = "", more: string): string {
  return ((outputs.get(id) ?? "") + more).slice(-OUTPUT_HELD);
}

function parseLine(line: Buffer): z.infer<typeof GoEvent> | null {
  if (line[0] !== 0x7b) return null;
  try {
    return GoEvent.safeParse(JSON.parse(line.toString())).data ?? null;
  } catch {
    return null;
  }
}
