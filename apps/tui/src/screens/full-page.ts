import type { Line, Size } from "../frame/line.ts";
import { panel } from "../frame/panel.ts";
import { bodyOf, windowOf } from "../frame/scroll.ts";
import type { Model } from "../model/model.ts";
import type { Extent } from "./page.ts";

/** What a text of full width is laid out for, and where it stands. */
interface Page {
  title: string;
  size: Size;
  scroll: number;
}

/** A text in a frame over the whole body, with how much of it is seen. */
export function fullPage(content: readonly Line[], { title, size, scroll }: Page): Line[] {
  const { lines, note } = windowOf(content, scroll, size.rows - 2);
  return panel(lines, { ...size, title, focused: true, note });
}

/** The extent of such a text, which is given the columns that it has. */
export function fullPageExtent(
  { size }: Model,
  content: (columns: number) => readonly Line[],
): Extent {
  const { columns, rows } = bodyOf(size);
  return { rows: rows - 2, count: content(columns - 2).length };
}
