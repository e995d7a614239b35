import type { TimelineEntry } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import type { Tone } from "../text/paint.ts";
import type { Row } from "../text/table.ts";

export const TIMELINE_HEAD = [
  ...["#", "TIME", "ACTION", "OUTCOME", "FILES", "TESTS", "TOKENS", "TOOK", "MESSAGE"],
] as const;

const TONES: Readonly<Record<TimelineEntry["outcome"], Tone>> = {
  completed: "plain",
  failed: "bad",
  interrupted: "care",
  outside: "care",
};

/** A row for each action, with the cells of `TIMELINE_HEAD`; `numbers` are the checkpoints that there still are. */
export function timelineRows(entries: readonly TimelineEntry[], numbers: readonly number[]): Row[] {
  const undone = rewound(entries, numbers);
  const days = new Set(entries.map(({ at }) => isoTime(at).slice(0, 10)));
  const timeOf = ({ at }: TimelineEntry) => isoTime(at).slice(days.size === 1 ? 11 : 0);
  return entries.map((entry) => {
    const taken = undone.has(entry);
    return {
      tone: taken ? "quiet" : toneOf(entry),
      cells: cellsOf(entry, { time: timeOf(entry), taken }),
    };
  });
}

function isoTime(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/**
 * Actions that a rewind took back: their checkpoint is gone, or a later action has one of the same or an earlier
 * number; and what lies before such an action without a checkpoint of its own, or behind the last one.
 */
function rewound(entries: readonly TimelineEntry[], numbers: readonly number[]) {
  const undone = new Set<TimelineEntry>();
  let newest = numbers.at(-1) ?? 0;
  const last = entries.findLast(({ checkpoint }) => checkpoint !== null)?.checkpoint ?? 0;
  let taken = last > newest;
  for (const entry of entries.toReversed()) {
    if (entry.checkpoint !== null) taken = entry.checkpoint > newest;
    if (taken) undone.add(entry);
    else if (entry.checkpoint !== null) newest = entry.checkpoint - 1;
  }
  return undone;
}

function toneOf({ outcome, tests }: TimelineEntry): Tone {
  if (outcome !== "completed" || tests === null) return TONES[outcome];
  return tests.passed_overall ? "good" : "bad";
}

function cellsOf(
  entry: TimelineEntry,
  { time, taken }: { time: string; taken: boolean },
): string[] {
  const { checkpoint, action, task_id, outcome, tests, tokens, active_ms, message } = entry;
  return [
    checkpoint === null || taken ? "-" : String(checkpoint),
    time,
    task_id === null ? (action ?? "(nobody)") : `${action} ${task_id}`,
    taken ? `${outcome}, rewound` : outcome,
    filesText(entry),
    testsText(tests),
    tokens === 0 ? "-" : String(tokens),
    formatDuration(active_ms),
    message,
  ];
}

function testsText(tests: TimelineEntry["tests"]): string {
  if (tests === null) return "-";
  if (tests.total === 0) return tests.passed_overall ? "passed" : "failed";
  return `${tests.passed}/${tests.passed + tests.failed}`;
}

function filesText({ diffstat }: TimelineEntry): string {
  if (diffstat === null) return "-";
  const { files, added, removed } = diffstat;
  return files === 0 ? "0" : `${files} +${added} -${removed}`;
}
