import type { LoopState, LoopStore } from "@ccw-loop/core";
import { orAborted } from "../run/or-aborted.ts";

const PAGE = 100;

/** What a look through the store found. */
export interface Found {
  /** Running loops; those that stand still for the longest time first. */
  running: Pick<LoopState, "loop_id" | "status" | "waiting" | "updated_at">[];
  /** Loops that cannot be read. */
  damaged: string[];
}

/** Page by page; what moves to another page meanwhile was changed, and the store's watch tells of it. */
export async function findRunning(store: LoopStore, signal: AbortSignal): Promise<Found> {
  const running: Found["running"] = [];
  let damaged: string[] = [];
  for (let offset = 0; !signal.aborted; offset += PAGE) {
    const page = await orAborted(store.list({ status: "running", offset, limit: PAGE }), signal);
    for (const { state } of page.loops) {
      const { loop_id, status, waiting, updated_at } = state;
      running.push({ loop_id, status, waiting, updated_at });
    }
    damaged = page.damaged.map(({ id }) => id);
    if (offset + PAGE >= page.total) break;
  }
  running.sort(
    (a, b) =>
      Date.parse(a.updated_at) - Date.parse(b.updated_at) || (a.loop_id < b.loop_id ? -1 : 1),
  );
  return { running, damaged };
}
