import { SQUARE_HEAD, type SquareCell, squareGrid } from "@ccw-loop/view";
import { fit, type Line, type Span, span } from "./line.ts";

type Square = Parameters<typeof squareGrid>[0];

/** Columns for the names of the rows. */
const NAMES = 20;

/** Narrower cells would be cut. */
const CELL = 22;

/**
 * The four runs of a proof as a table: which tests down, which sources across; in a narrow room each on a row of its own.
 * The selected one is the other way round.
 */
export function squareLines(
  square: Square,
  columns: number,
  selected?: SquareCell["name"],
): Line[] {
  const grid = squareGrid(square);
  const width = Math.min(36, Math.floor((columns - NAMES) / 2));
  const shown = ({ name, text, tone }: SquareCell): Span => {
    return { ...span(text, tone), inverse: name === selected };
  };
  if (width < CELL) {
    return grid.flatMap(({ cells }) =>
      cells.map((cell) => [...fit([span(cell.name, "quiet")], 16), shown(cell)]),
    );
  }
  return [
    [span(" ".repeat(NAMES)), ...SQUARE_HEAD.flatMap((name) => fit([span(name, "quiet")], width))],
    ...grid.map(({ tests, cells }) => [
      ...fit([span(tests, "quiet")], NAMES),
      ...cells.flatMap((cell) => fit([shown(cell)], width)),
    ]),
  ];
}
