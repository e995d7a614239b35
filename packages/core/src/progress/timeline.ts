import { z } from "zod";
import type { EndEvent, LoopEvent, LoopEventOf, RecordedEvent } from "../machine/events.ts";
import { ActionName } from "../state/skill-state.ts";
import { TestCounts } from "../state/test-run.ts";
import { counted } from "../text.ts";

/**
 * One action as it ended, or what changed from outside between two of them; the numbers of checkpoints are those that
 * `diff` and `rewind` take.
 */
export const TimelineEntry = z.object({
  /** The checkpoint behind it; null when none was made. */
  checkpoint: z.int().nullable(),
  action: ActionName.nullable().describe("Null for what changed from outside."),
  at: z.string(),
  outcome: z.enum(["completed", "failed", "interrupted", "outside"]),
  message: z.string(),
  task_id: z.string().nullable(),
  active_ms: z.number(),
  tokens: z.number(),
  turns: z.int(),
  /** Files and lines that differ from the checkpoint before. */
  diffstat: z.object({ files: z.int(), added: z.int(), removed: z.int() }).nullable(),
  /** Of a VALIDATE. */
  tests: TestCounts.extend({ passed_overall: z.boolean() }).nullable(),
  /** What changed from outside never is. */
  rewound: z.boolean().describe("Whether a rewind took it back."),
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

type Ended = EndEvent | LoopEventOf<"action.interrupted">;

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
      const { n, files, added, removed, action, outside = false } = event.checkpoint;
      const last = entries.at(-1);
      const isKept = action !== null || outside;
      if (last && isKept && last.checkpoint === null && last.action === action) {
        Object.assign(last, { checkpoint: n, diffstat: { files, added, removed } });
      }
    } else if (event.type === "loop.rewound") {
      markRewound(entries, event.to);
    } else if (event.type === "workspace.changed") {
      const { at, total, files } = event;
      const message = outsideText(total, files);
      entries.push(entry(at, { message, diffstat: { files: total, added: 0, removed: 0 } }));
    } else if (isEnded(event)) {
      entries.push(entryOf(event, { task_id: task, tokens, turns }));
      tokens = 0;
      turns = 0;
    }
  }
  return entries;
}

/** Marks what came behind checkpoint `to`, which is 0 for the start. */
function markRewound(entries: TimelineEntry[], to: number): void {
  const kept = entries.findLastIndex(({ checkpoint, rewound }) => checkpoint === to && !rewound);
  for (const entry of entries.slice(kept + 1)) {
    if (entry.outcome === "outside") entry.checkpoint = null;
    else entry.rewound = true;
  }
}

const NAMED = 3;

/** `2 files changed from outside: a.js, b.js`. */
export function outsideText(total: number, files: readonly { path: string }[]): string {
  const names = files.slice(0, NAMED).map(({ path }) => path);
  const more = total > names.length ? `, and ${total - names.length} more` : "";
  return `${counted(total, "file")} changed from outside: ${names.join(", ")}${more}`;
}

function isEnded(event: LoopEvent): event is Ended {
  return ["action.completed", "action.failed", "action.interrupted"].includes(event.type);
}

function entryOf(event: Ended, used: Pick<TimelineEntry, "task_id" | "tokens" | "turns">) {
  const output = event.type === "action.completed" ? event.output : undefined;
  const receipt = output?.action === "VALIDATE" ? output.receipt : undefined;
  return entry(event.at, {
    action: event.action,
    outcome: event.type.slice("action.".length) as TimelineEntry["outcome"],
    message: event.type === "action.interrupted" ? event.reason : event.message,
    active_ms: event.active_ms,
    tests: receipt ? { ...receipt.counts, passed_overall: receipt.passed } : null,
    ...used,
  });
}

function entry(at: string, fields: Partial<TimelineEntry>): TimelineEntry {
  return {
    checkpoint: null,
    action: null,
    at,
    outcome: "outside",
    message: "",
    task_id: null,
    active_ms: 0,
    tokens: 0,
    turns: 0,
    diffstat: null,
    tests: null,
    rewound: false,
    ...fields,
  };
}
