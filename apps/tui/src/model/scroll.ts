import type { Size } from "../components/line.ts";

/** Rows of the frame around every screen: head, notice, keys. */
const FRAME_ROWS = 3;

/** What a full screen has for itself. */
export function bodyOf({ columns, rows }: Size): Size {
  return { columns, rows: Math.max(0, rows - FRAME_ROWS) };
}

export interface Window<T> {
  lines: readonly T[];
  /** Index of the first one. */
  first: number;
  /** `12-30 of 400`; empty when all lines are there. */
  note: string;
}

/** As many lines as there are rows, from `first` on, or the last ones. */
export function windowOf<T>(lines: readonly T[], first: number, rows: number): Window<T> {
  const from = clamped(first, lastFirst(lines.length, rows));
  const shown = lines.slice(from, from + rows);
  const all = shown.length === lines.length;
  return {
    lines: shown,
    first: from,
    note: all ? "" : `${from + 1}-${from + shown.length} of ${lines.length}`,
  };
}

/** As many lines as there are rows, with that one in the middle where there are more. */
export function windowAround<T>(lines: readonly T[], at: number, rows: number): Window<T> {
  return windowOf(lines, at - Math.floor(rows / 2), rows);
}

/** The largest first line that leaves no row empty. */
export function lastFirst(count: number, rows: number): number {
  return Math.max(0, count - Math.max(1, rows));
}

export type Move = "up" | "down" | "pageup" | "pagedown" | "top" | "end";

/** A place from 0 to `last` after a move; a page is `page` long. */
export function moved(at: number, move: Move, { page, last }: { page: number; last: number }) {
  const steps = { up: -1, down: 1, pageup: -page, pagedown: page, top: -at, end: last - at };
  return clamped(clamped(at, last) + steps[move], last);
}

function clamped(at: number, last: number): number {
  return Math.min(Math.max(0, last), Math.max(0, at));
}
