import { SQUARE_HEAD, squareGrid } from "@ccw-loop/view";
import { fit, type Line, span } from "./line.ts";

type Square = Parameters<typeof squareGrid>[0];

/** Columns for the names of the rows. */
const NAMES = 20;

/** Narrower cells would be cut. */
const CELL = 22;

/** The four runs of a proof as a table: which tests down, which sources across; in a narrow room each on a row of its own. */
export function squareLines(square: Square, columns: number): Line[] {
  const grid = squareGrid(square);
  const width = Math.min(36, Math.floor((columns - NAMES) / 2));
  if (width < CELL) {
    return grid.flatMap(({ cells }) =>
      cells.map(({ name, text, tone }) => [...fit([span(name, "quiet")], 16), span(text, tone)]),
    );
  }
  return [
    [span(" ".repeat(NAMES)), ...SQUARE_HEAD.flatMap((name) => fit([span(name, "quiet")], width))],
    ...grid.map(({ tests, cells }) => [
      ...fit([span(tests, "quiet")], NAMES),
      ...cells.flatMap(({ text, tone }) => fit([span(text, tone)], width)),
    ]),
  ];
}
