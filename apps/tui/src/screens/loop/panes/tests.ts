import type { LoopState } from "@ccw-loop/core";
import {
  countsText,
  coverageLines,
  type Progress,
  receiptLines,
  TEST_TONES,
  testRows,
  untestedText,
} from "@ccw-loop/view";
import { courseLines } from "../../../components/gauge.tsx";
import { indented, type Line, line, type Size, span, wrapped } from "../../../components/line.ts";
import { squareLines } from "../../../components/square.ts";
import type { Pane } from "./pane.ts";

export const testsPane: Pane = {
  title: "Tests",
  lines: ({ progress }, { columns, whole }) => testLines(progress, columns, whole),
  plain: ({ progress: { state } }) => {
    const receipt = state.receipts?.at(-1);
    return [
      ...(receipt ? receiptLines(receipt) : []),
      ...testRows(state).map(([name, values]) => `${name}: ${values.join(", ")}`),
    ].map((text) => line(text));
  },
};

/** Rows of a chart in a pane that has the screen for itself. */
const CHART_ROWS = 4;

/** What the last test run said, beside the tests before; how pass rate and coverage went. */
export function testLines(progress: Progress, columns: number, whole: boolean): Line[] {
  const { state } = progress;
  const receipt = state.receipts?.at(-1);
  if (!receipt) {
    const red = redAtStart(state);
    return [
      line(untestedText(state), "quiet"),
      ...baselineLine(state),
      ...(red.length > 0 ? rowLines("Red at the start", red, columns, whole) : []),
    ];
  }
  const verdict: Line = [
    span(receipt.passed ? "✔ " : "✖ ", receipt.passed ? "good" : "bad"),
    span(receipt.counts.total > 0 ? countsText(receipt.counts) : receipt.reason),
    ...(state.skill_state?.validate.stale ? [span(" · files changed since", "warning")] : []),
  ];
  const rows = testRows(state).flatMap(([name, values]) => rowLines(name, values, columns, whole));
  const square = receipt.square ? squareLines(receipt.square, columns) : baselineLine(state);
  const size = { columns, rows: whole ? CHART_ROWS : 1 };
  return [verdict, ...square, ...trendLines(progress, size), ...rows];
}

/** How the tests stood before the loop changed anything; a square says it as well. */
function baselineLine({ baseline }: LoopState): Line[] {
  if (!baseline || baseline.counts.total === 0) return [];
  return [[span("baseline  ", "quiet"), span(countsText(baseline.counts))]];
}

function redAtStart({ baseline }: LoopState): string[] {
  const tests = Object.entries(baseline?.tests ?? {});
  return tests.flatMap(([id, state]) => (state === "failed" ? [id] : []));
}

function rowLines(
  name: string,
  values: readonly string[],
  columns: number,
  whole: boolean,
): Line[] {
  const tone = TEST_TONES[name] ?? "quiet";
  const head = line(`${name}: ${values.length}`, tone);
  const each = values.flatMap((value) => (whole ? wrapped(value, columns - 2) : [line(value)]));
  return [head, ...indented(each, 2)];
}

/** Pass rate and coverage over all runs. */
function trendLines({ state, runs: { passRates, coverage } }: Progress, size: Size): Line[] {
  const course = (name: string, values: readonly number[], top: number): Line[] => {
    const last = values.at(-1);
    if (last === undefined) return [];
    return courseLines({ name, values, top, now: `${Math.round((last / top) * 100)} %` }, size);
  };
  return [
    ...course("pass rate", passRates, 1),
    ...(coverage.length > 0
      ? course("coverage ", coverage, 100)
      : coverageLines(state).map((text) => line(text))),
  ];
}
