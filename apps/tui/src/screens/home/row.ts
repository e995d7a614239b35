import { formatDuration, glyphOf, HEALTH_WORDS, type LoopRow, waitWord } from "@ccw-loop/view";
import { bar } from "../../components/gauge.tsx";
import { fit, type Line, line, type Span, span } from "../../components/line.ts";

interface Column {
  head: string;
  width: number;
  /** Terminals that have fewer columns leave it out. */
  from: number;
  cell: (row: LoopRow, now: number) => Line;
}

const COLUMNS: readonly Column[] = [
  { head: "STATUS", width: 24, from: 110, cell: (row) => [span(waitWord(row), "quiet")] },
  { head: "ACTION", width: 9, from: 72, cell: actionCell },
  {
    head: "ITER",
    width: 7,
    from: 0,
    cell: ({ iteration, maxIterations }) => line(`${iteration}/${maxIterations}`),
  },
  { head: "TASKS", width: 7, from: 100, cell: ({ tasks }) => line(`${tasks.done}/${tasks.total}`) },
  { head: "TESTS", width: 10, from: 0, cell: ({ tests }) => testsCell(tests) },
  { head: "USED", width: 14, from: 78, cell: ({ used }) => usedCell(used) },
  { head: "AGE", width: 8, from: 0, cell: (row, now) => line(ageOf(row, now), "quiet") },
];

/** The names of the columns, as `rowLine` lays them out, and the order of the rows. */
export function headLine(sort: string, columns: number): Line {
  const shown = columnsFor(columns);
  return [
    span("  "),
    ...fit(line(`  LOOP ${sort}`, "quiet"), titleWidth(shown, columns)),
    ...shown.flatMap(({ head, width }) => fit(line(head, "quiet"), width)),
  ];
}

/** One loop on one line of that many columns. */
export function rowLine(row: LoopRow, { now, columns }: { now: number; columns: number }): Line {
  const shown = columnsFor(columns);
  const { tone } = HEALTH_WORDS[row.health];
  const title = [span(`${glyphOf(row)} `, tone), span(row.title)];
  return [
    span("  "),
    ...fit(fit(title, titleWidth(shown, columns) - 1), titleWidth(shown, columns)),
    ...shown.flatMap(({ width, cell }) => fit(cell(row, now), width)),
  ];
}

function columnsFor(columns: number): readonly Column[] {
  return COLUMNS.filter(({ from }) => columns >= from);
}

function titleWidth(shown: readonly Column[], columns: number): number {
  return columns - 2 - shown.reduce((sum, { width }) => sum + width, 0);
}

/** The action under way or done last; of a loop that goes on by itself, when. */
function actionCell({ action, until }: LoopRow, now: number): Line {
  if (until === null) return line(action ?? "-");
  return line(countdown(until, now), "warning");
}

/** `in 4m`, or `now` when it is due. */
export function countdown(until: string, now: number): string {
  const left = Date.parse(until) - now;
  return left > 0 ? `in ${shortTime(left)}` : "now";
}

function testsCell(tests: LoopRow["tests"]): Line {
  if (tests === null) return line("-", "quiet");
  const passed = span(`✔${tests.passed}`, tests.failed === 0 ? "good" : "plain");
  return tests.failed === 0 ? [passed] : [passed, span(" "), span(`✖${tests.failed}`, "bad")];
}

/** How much of the tightest bound is used. */
function usedCell({ share }: LoopRow["used"]): Span[] {
  const percent = `${Math.round(share * 100)} %`.padStart(6);
  return [...bar(share, 1, 6), span(percent, "quiet")];
}

/** Since the last change. */
export function ageOf({ updatedAt }: LoopRow, now: number): string {
  return shortTime(Math.max(0, now - updatedAt));
}

/** The largest unit alone: it has one column of a list, and changes rarely. */
function shortTime(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1000)}s` : (formatDuration(ms).split(" ")[0] ?? "");
}
