import type { LoopState, TimelineEntry } from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";
import type { Tone } from "../text/paint.ts";
import type { Row } from "../text/table.ts";

export const TIMELINE_HEAD = [
  ...["#", "TIME", "ACTION", "OUTCOME", "FILES", "TESTS", "TOKENS", "TOOK", "MESSAGE"],
] as const;

const TONES: Readonly<Record<TimelineEntry["outcome"], Tone>> = {
  completed: "plain",
  failed: "bad",
  interrupted: "warning",
  outside: "warning",
};

export function timelineRows(entries: readonly TimelineEntry[]): Row[] {
  const days = new Set(entries.map(({ at }) => isoTime(at).slice(0, 10)));
  const timeOf = ({ at }: TimelineEntry) => isoTime(at).slice(days.size === 1 ? 11 : 0);
  return entries.map((entry) => ({
    tone: entry.rewound ? "quiet" : toneOf(entry),
    cells: cellsOf(entry, timeOf(entry)),
  }));
}

/** The checkpoints that an action lies between; undefined when there is none behind it any more. */
export function checkpointsOf(
  entry: TimelineEntry | undefined,
  { checkpoints = [] }: Pick<LoopState, "checkpoints">,
): { from: number; to: number } | undefined {
  const to = entry?.checkpoint ?? null;
  const numbers = checkpoints.map(({ n }) => n);
  const from = to === null ? undefined : numbers.findLast((n) => n < to);
  return to === null || from === undefined || !numbers.includes(to) ? undefined : { from, to };
}

function isoTime(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function toneOf({ outcome, tests }: TimelineEntry): Tone {
  if (outcome !== "completed" || tests === null) return TONES[outcome];
  return tests.passed_overall ? "good" : "bad";
}

function cellsOf(entry: TimelineEntry, time: string): string[] {
  const { checkpoint, action, task_id, outcome, tests, tokens, active_ms, message, rewound } =
    entry;
  return [
    checkpoint === null || rewound ? "-" : String(checkpoint),
    time,
    task_id === null ? (action ?? "(nobody)") : `${action} ${task_id}`,
    rewound ? `${outcome}, rewound` : outcome,
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
