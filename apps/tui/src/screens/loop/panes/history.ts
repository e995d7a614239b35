import {
  amountText,
  collapsedRoundLine,
  currentRoundLines,
  type Progress,
  roundsOf,
  roundText,
  type Step,
  timeSince,
  upcomingLines,
} from "@ccw-loop/view";
import { courseLines } from "../../../components/gauge.tsx";
import { type Line, line, type Size, wrapped } from "../../../components/line.ts";
import type { Pane } from "./pane.ts";

export const historyPane: Pane = {
  title: "History",
  lines: ({ progress }, { columns, whole, now }) => historyLines(progress, now, columns, whole),
  plain: ({ progress }, now) => stepSentences(progress, now),
};

/** What was done: earlier rounds on a line each, the last one unfolded, and what the rules would do from here. */
function historyLines(progress: Progress, now: number, columns: number, whole: boolean): Line[] {
  const { state, steps } = progress;
  const rounds = roundsOf(steps);
  const ended = state.status === "completed" || state.status === "failed";
  const last = rounds.at(-1);
  const lines = [
    ...rounds.slice(0, -1).map(collapsedRoundLine),
    ...(last ? currentRoundLines(last, new Date(now)) : []),
    ...(ended ? [] : upcomingLines(state, last)),
  ];
  if (lines.length === 0) return [line("Nothing was done yet.", "quiet")];
  return [
    ...lines.flatMap(({ tone, text }) =>
      whole ? wrapped(text, columns, tone) : [line(text, tone)],
    ),
    ...tokenLines(progress, { columns, rows: whole ? CHART_ROWS : 1 }),
  ];
}

const CHART_ROWS = 4;

/** The tokens of each action; nothing where no agent tells them. */
function tokenLines({ runs: { tokens } }: Progress, size: Size): Line[] {
  const total = tokens.at(-1) ?? 0;
  if (total === 0) return [];
  const values = tokens.map((until, i) => Math.max(0, until - (tokens[i - 1] ?? 0)));
  const top = Math.max(...values);
  return courseLines({ name: "tokens", values, top, now: amountText(total) }, size);
}

/** The same without glyphs, for a screen reader. */
function stepSentences({ steps }: Progress, now: number): Line[] {
  const rounds = roundsOf(steps);
  const last = rounds.at(-1) ?? [];
  return [
    ...rounds.slice(0, -1).map((round) => line(roundText(round))),
    ...last.map((step) => line(sentenceOf(step, now))),
  ];
}

function sentenceOf({ action, status, result, subject, started_at }: Step, now: number): string {
  const how = status === "running" ? `running for ${timeSince(started_at, now)}` : status;
  const what = result || subject;
  return what === "" ? `${action} ${how}` : `${action} ${how}: ${what}`;
}
