import { countsText, coverageLines, type Progress, TEST_TONES, testRows } from "@ccw-loop/view";
import { sparkline } from "../../../components/gauge.tsx";
import { indented, type Line, line, span, wrapped } from "../../../components/line.ts";
import { squareLines } from "../../../components/square.ts";

/** What the last test run said, beside the tests before; how pass rate and coverage went. */
export function testLines(progress: Progress, columns: number, whole: boolean): Line[] {
  const { state } = progress;
  const receipt = state.receipts?.at(-1);
  if (!receipt) return [line("The tests have not been run.", "quiet")];
  const verdict: Line = [
    span(receipt.passed ? "✔ " : "✖ ", receipt.passed ? "good" : "bad"),
    span(receipt.counts.total > 0 ? countsText(receipt.counts) : receipt.reason),
    ...(state.skill_state?.validate.stale ? [span(" · files changed since", "warning")] : []),
  ];
  const rows = testRows(state).flatMap(([name, values]) => rowLines(name, values, columns, whole));
  const square = receipt.square ? squareLines(receipt.square, columns) : [];
  return [verdict, ...square, ...trendLines(progress, columns), ...rows];
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

/** Pass rate and coverage over all runs, as sparklines. */
function trendLines({ state, runs: { passRates, coverage } }: Progress, columns: number): Line[] {
  const room = Math.max(3, Math.min(24, columns - 22));
  const course = (name: string, values: readonly number[], top: number): Line[] => {
    const last = values.at(-1);
    if (last === undefined) return [];
    const percent = Math.round((last / top) * 100);
    return [
      [span(name, "quiet"), span(sparkline(values, top, room), "name"), span(` ${percent} %`)],
    ];
  };
  return [
    ...course("pass rate ", passRates, 1),
    ...(coverage.length > 0
      ? course("coverage  ", coverage, 100)
      : coverageLines(state).map((text) => line(text))),
  ];
}
