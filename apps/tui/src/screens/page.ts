import type { Line, Size } from "../components/line.ts";
import { bodyOf, lastFirst, moved, panel, windowOf } from "../components/panel.ts";
import { type Model, replaceScreen } from "../model/model.ts";
import type { Binding, Screen } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { movingBindings } from "./bindings.ts";

/** A screen whose content is one long text. */
type Paged = Extract<ScreenState, { scroll: number }>;

/** How many rows of the text are seen at once, and how many it has. */
interface Extent {
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
  { title, size, scroll = 0 }: { title: string; size: Size; scroll?: number },
): Line[] {
  const rows = sheetRows(size, content.length);
  const { lines, note } = windowOf(content, scroll, rows);
  return panel(lines, { columns: size.columns, rows: rows + 2, title, focused: true, note });
}

/** What a screen over the whole body says, as one long text. */
interface TextScreen<S> extends Pick<Screen<S>, "title" | "answered"> {
  /** In its frame. */
  heading: (state: S) => string;
  /** Its keys, among which those that scroll have their place. */
  bindings: (state: S, model: Model, moves: readonly Binding[]) => readonly Binding[];
  content: (state: S, model: Model, columns: number) => readonly Line[];
  /** The columns of the content for a screen reader. */
  plainColumns?: number;
}

export function textScreen<S extends Paged>({
  heading,
  bindings,
  content,
  plainColumns = 1000,
  ...own
}: TextScreen<S>): Screen<S> {
  return {
    ...own,
    place: "full",
    bindings(state, model) {
      const moves = pageBindings(state, (now) => {
        const { columns, rows } = bodyOf(now.size);
        return { rows: rows - 2, count: content(state, now, columns - 2).length };
      });
      return bindings(state, model, moves);
    },
    lines(state, model, size) {
      const text = content(state, model, size.columns - 2);
      const { lines, note } = windowOf(text, state.scroll, size.rows - 2);
      return panel(lines, { ...size, title: heading(state), focused: true, note });
    },
    plain: (state, model) => content(state, model, plainColumns),
  };
}
