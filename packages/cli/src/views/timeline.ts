import type { TimelineEntry } from "@ccw-loop/core";
import { TIMELINE_HEAD, table, timelineRows } from "@ccw-loop/view";
import type { Context } from "../context.ts";

/** A row for each entry. */
export function timelineTable(
  id: string,
  entries: readonly TimelineEntry[],
  { io, paint, hint }: Pick<Context, "io" | "paint" | "hint">,
): string {
  if (entries.length === 0) {
    return hint(`Loop ${id} has done nothing yet. Drive it with: ccw-loop run --loop-id ${id}`);
  }
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  return table(TIMELINE_HEAD, timelineRows(entries), { columns, paint }).join("\n");
}
