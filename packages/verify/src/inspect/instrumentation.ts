import type { FileVersions } from "@ccw-loop/core";
import { missingIn } from "./code/diff.ts";
import type { Finding } from "./finding.ts";

/** What marks a line that was added for a probe. */
const MARKER = "ccw-probe";

/** Lines that were added for a probe and are still there. */
export function inspectInstrumentation({ path, before, after }: FileVersions): Finding[] {
  if (typeof after !== "string" || !after.includes(MARKER)) return [];
  const lines = after.split(/\r\n?|\n/);
  const marked = lines.filter((line) => line.includes(MARKER)).map((line) => line.trim());
  const known = (before ?? "").split(/\r\n?|\n/).map((line) => line.trim());
  const added = missingIn(marked, known).map((at) => marked[at] ?? "");
  if (added.length === 0) return [];
  return [
    {
      kind: "instrumentation",
      path,
      line: lines.findIndex((line) => line.trim() === added[0]) + 1,
      removed: [],
      added,
      identity: added.join("\n"),
      message: "Lines that were added to examine something are still there.",
    },
  ];
}
