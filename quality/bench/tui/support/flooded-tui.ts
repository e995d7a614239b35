/**
 * The terminal interface over a loop whose agent has written so many lines as fast as they are read:
 *   node flooded-tui.ts LINES
 * Driven from elsewhere, so that the memory is the interface's own.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Activity,
  type LiveEvent,
  type LoopService,
  LoopState,
  summaryOf,
} from "@ccw-loop/core";
import { loopsIn } from "../../../../apps/tui/test/support/make-loop.ts";
import { openHere } from "../../../../apps/tui/test/support/open-here.ts";

const lines = Number(process.argv[2]);
const at = "2026-01-22T10:00:00.000Z";
const state = LoopState.parse({
  loop_id: "flooded",
  title: "A flood",
  status: "running",
  created_at: at,
  updated_at: at,
});

async function* watch(id: string, { signal }: { signal: AbortSignal }): AsyncGenerator<LiveEvent> {
  for (let n = 1; n <= lines && !signal.aborted; n += 1) {
    const text = n === lines ? "That was the last line.\n" : `line ${n} of what a build says\n`;
    const activity: Activity = { at, action: "DEVELOP", event: { type: "command.output", text } };
    yield { kind: "activity", id, activity };
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

const service: LoopService = {
  ...loopsIn(join(tmpdir(), "ccw-nowhere")).service,
  summaries: async () => ({ loops: [summaryOf(state)], total: 1, damaged: [] }),
  get: async () => state,
  async *events() {},
  async *summaryChanges(signal) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
  watch,
};
await openHere({ service, place: { name: "nowhere", drives: false } });
