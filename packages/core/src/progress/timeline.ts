import type { LoopEvent, RecordedEvent } from "../machine/events.ts";
import type { ActionName } from "../state/skill-state.ts";
import type { TestCounts } from "../state/test-run.ts";

/** One action as it ended; the numbers of checkpoints are those that `diff` and `rewind` take. */
export interface TimelineEntry {
  /** The checkpoint behind it; null when none was made. */
  checkpoint: number | null;
  action: ActionName;
  at: string;
  outcome: "completed" | "failed" | "interrupted";
  message: string;
  task_id: string | null;
  active_ms: number;
  tokens: number;
  turns: number;
  /** Files and lines that differ from the checkpoint before. */
  diffstat: { files: number; added: number; removed: number } | null;
  /** Of a VALIDATE. */
  tests: (TestCounts & { passed_overall: boolean }) | null;
}

type Ended = Extract<
  LoopEvent,
  { type: "action.completed" | "action.failed" | "action.interrupted" }
>;

/** Every action of a journal in order. What was rewound stays in it, as it happened. */
export function timelineOf(recorded: Iterable<RecordedEvent>): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let tokens = 0;
  let turns = 0;
  let task: string | null = null;
  for (const { event } of recorded) {
    if (event.type === "turn.completed") {
      tokens += event.total_tokens;
      turns += 1;
    } else if (event.type === "action.started") {
      task = event.task_id;
    } else if (event.type === "checkpoint.made") {
      const { n, files, added, removed, action } = event.checkpoint;
      const last = entries.at(-1);
      if (last && action !== null && last.checkpoint === null && last.action === action) {
        Object.assign(last, { checkpoint: n, diffstat: { files, added, removed } });
      }
    } else if (isEnded(event)) {
      entries.push({ ...entryOf(event), task_id: task, tokens, turns });
      tokens = 0;
      turns = 0;
    }
  }
  return entries;
}

function isEnded(event: LoopEvent): event is Ended {
  return ["action.completed", "action.failed", "action.interrupted"].includes(event.type);
}

function entryOf(event: Ended): Omit<TimelineEntry, "task_id" | "tokens" | "turns"> {
  const output = event.type === "action.completed" ? event.output : undefined;
  const receipt = output?.action === "VALIDATE" ? output.receipt : undefined;
  return {
    checkpoint: null,
    action: event.action,
    at: event.at,
    outcome: event.type.slice("action.".length) as TimelineEntry["outcome"],
    message: event.type === "action.interrupted" ? event.reason : event.message,
    active_ms: event.active_ms,
    diffstat: null,
    tests: receipt ? { ...receipt.counts, passed_overall: receipt.passed } : null,
  };
}
