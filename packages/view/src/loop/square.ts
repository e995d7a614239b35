import type { Cell, Square } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import type { NamedRow } from "../text/rows.ts";
import { firstLines } from "./proof.ts";

/**
 * The four runs of a proof as a table of two by two with counts:
 * which sources across, which tests down.
 */
export function squareTable({ cells, tests, doubtful }: Square): string[] {
  const isChanged = tests.length + doubtful.length > 0;
  const rows = [
    ["", "sources at the start", "sources now"],
    ["tests at the start", cellText(cells.baseline), cellText(cells.verdict)],
    ["tests now", counterfactualText(cells.counterfactual, isChanged), cellText(cells.present)],
  ];
  const widths = [0, 1, 2].map((n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, n) => text.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Everything else that a square says, as rows of a name and values. */
export function squareRows(square: Square | undefined): NamedRow[] {
  if (!square) return [];
  const { cells } = square;
  const room = [cells.verdict, cells.counterfactual, cells.start].filter((cell) => cell !== null);
  return [
    ["Square", squareTable(square)],
    ["Red in the verdict", firstLines(cells.verdict?.failed ?? [])],
    ["Witnesses", firstLines(square.witnesses)],
    ["Judged in place", firstLines(square.in_place)],
    ["Sources", firstLines(square.sources)],
    ["Tests changed", firstLines(square.tests)],
    ["Doubtful files", firstLines(square.doubtful)],
    [
      "Checks",
      square.checks.map(
        ({ kind, result, reason }) => `${kind}: ${result.replaceAll("_", " ")}. ${reason}`,
      ),
    ],
    ["Remarks", square.remarks],
    ["In clean rooms", room.length === 0 ? [] : [roomText(room, square.checks)]],
  ];
}

function roomText(room: readonly Cell[], checks: Square["checks"]): string {
  const sum = (all: readonly { duration_ms: number }[]) =>
    all.reduce((ms, { duration_ms }) => ms + duration_ms, 0);
  const runs = `${room.length} test run${room.length === 1 ? "" : "s"}, ${formatDuration(sum(room))}`;
  const more = sum(checks);
  return more === 0 ? runs : `${runs}; checks, ${formatDuration(more)}`;
}

function cellText(cell: Cell | null): string {
  if (cell === null) return "not run";
  const { counts, exit_code } = cell;
  if (counts.total === 0) return exit_code === 0 ? "passed" : `exit code ${exit_code ?? "none"}`;
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return counts.failed === 0
    ? `${counts.passed} green${skipped}`
    : `${counts.passed} green, ${counts.failed} red${skipped}`;
}

/** Where no test was changed, present tests with old sources are the baseline; a verdict that says no makes the run needless. */
function counterfactualText(cell: Cell | null, isChanged: boolean): string {
  return cell === null && !isChanged ? "(no test was changed)" : cellText(cell);
}
