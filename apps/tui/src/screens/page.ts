import type { Line, Size } from "../components/line.ts";
import { bodyOf, lastFirst, moved, panel, windowOf } from "../components/panel.ts";
import { type Model, replaceScreen } from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { movingBindings } from "./bindings.ts";

/** A screen whose content is one long text. */
type Paged = Extract<ScreenState, { scroll: number }>;

/** How many rows of the text are seen at once, and how many it has. */
export interface Extent {
  rows: number;
  count: number;
}

export function pageBindings(
  screen: Paged,
  extentIn: (model: Model) => Extent,
): readonly Binding[] {
  return movingBindings(screen.kind, (move, model) => {
    const { rows, count } = extentIn(model);
    const scroll = moved(screen.scroll, move, { page: rows, last: lastFirst(count, rows) });
    return { model: replaceScreen(model, { ...screen, scroll }) };
  });
}

/** Rows of a sheet that stay free for what is below it. */
const LEFT_FREE = 3;

/** Rows for the text of a sheet over a body of that size. */
export function sheetRows({ rows }: Size, count: number): number {
  return Math.max(1, Math.min(count, rows - LEFT_FREE - 2));
}

/** A text in a frame, as high as it needs and the body allows. */
export function sheet(
  content: readonly Line[],
  { title, size, scroll }: { title: string; size: Size; scroll: number },
): Line[] {
  const rows = sheetRows(size, content.length);
  const { lines, note } = windowOf(content, scroll, rows);
  return panel(lines, { columns: size.columns, rows: rows + 2, title, focused: true, note });
}

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
