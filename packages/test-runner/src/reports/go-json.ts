import { tryParseJson } from "@ccw-loop/core";
import { z } from "zod";
import { lineCutter } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

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

/** Characters of one test's output, and of all that runs together, that are held. */
const OUTPUT_HELD = 8 * 1024;
const OUTPUT_BUDGET = 16 * 1024 * 1024;
/** Packages and tests that may run at once; a report with more of them is none of Go's. */
const RUNNING_HELD = 20_000;
const NAME_HELD = 1024;
/** What older versions print, and newer ones where a package cannot even be read. */
const UNBUILT = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/;
const BRACE = 0x7b;
const LETTER_F = 0x46;
const ENDS: Readonly<Record<string, "passed" | "failed" | "skipped">> = {
  pass: "passed",
  fail: "failed",
  skip: "skipped",
};

/** What `go test -json` prints: event lines, and others between them. */
export function goJsonParser(collector: Collector): ReportParser {
  /** Output of what still runs: packages by name, tests by package and name. */
  const running = new Map<string, string>();
  const builds = new Map<string, string>();
  const failedIn = new Set<string>();
  let held = 0;
  let seen = false;
  let flooded = false;

  const lines = lineCutter((line) => {
    const event = parseLine(line);
    if (event) take(event);
    else if (line[0] === LETTER_F) takeText(line.toString());
  });

  function takeText(line: string): void {
    const suite = UNBUILT.exec(line)?.[1];
    if (suite === undefined) return;
    seen = true;
    collector.add({ suite, name: "(package)", status: "failed", message: line });
  }

  /** Its own output, as far as all of them together may hold. */
  function append(outputs: Map<string, string>, id: string, more: string): void {
    const before = outputs.get(id) ?? "";
    const after = held > OUTPUT_BUDGET ? before : (before + more).slice(-OUTPUT_HELD);
    held += after.length - before.length;
    outputs.set(id, after);
  }

  function forget(id: string): void {
    held -= running.get(id)?.length ?? 0;
    running.delete(id);
  }

  function take(event: z.infer<typeof GoEvent>): void {
    const { Action, Elapsed, Output = "" } = event;
    const Package = event.Package.slice(0, NAME_HELD);
    const Test = event.Test?.slice(0, NAME_HELD);
    seen = true;
    if (running.size + builds.size + failedIn.size > RUNNING_HELD) flooded = true;
    if (flooded) return;
    if (Action === "build-output")
      append(builds, event.ImportPath?.slice(0, NAME_HELD) ?? "", Output);
    const id = Test === undefined ? Package : `${Package} ${Test}`;
    const status = ENDS[Action];
    if (Action === "start" || Action === "run") running.set(id, "");
    if (Action === "run" && Test !== undefined) collector.begin({ suite: Package, name: Test });
    if (Action === "output" && running.has(id)) append(running, id, Output);
    if (Action === "bench") forget(id);
    if (status === undefined) return;
    // A program under test can print "--- PASS" for a test of its own invention.
    if (Test !== undefined && status !== "failed" && !running.has(id)) return;
    const output = builds.get(event.FailedBuild ?? "") ?? running.get(id) ?? "";
    forget(id);
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
    seen: () => seen,
    end() {
      lines.end();
      if (!seen) return "it has no test event";
      if (flooded) return "more packages and tests run at once than can be followed";
      const [first] = running.keys();
      return first === undefined ? null : `it is cut off: ${first} has no result`;
    },
  };
}

function parseLine(line: Buffer): z.infer<typeof GoEvent> | null {
  if (line[0] !== BRACE) return null;
  return GoEvent.safeParse(tryParseJson(line.toString())).data ?? null;
}
