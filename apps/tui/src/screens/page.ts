import type { Line, Size } from "../components/line.ts";
import { bodyOf, lastFirst, moved, panel, windowOf } from "../components/panel.ts";
import { type Model, replaceScreen } from "../model/model.ts";
import type { Binding, Screen } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { backBinding, movingBindings } from "./bindings.ts";

/** A screen whose content is one long text. */
type Paged = Extract<ScreenState, { scroll: number }>;

/** Rows of a sheet that stay free for what is below it. */
const LEFT_FREE = 3;

/** Rows for the text of a sheet over a body of that size. */
export function sheetRows({ rows }: Size, count: number): number {
  return Math.max(1, Math.min(count, rows - LEFT_FREE - 2));
}

/** A text in a frame, as high as it needs and the body allows. */
export function sheet(
  content: readonly Line[],
  { title, size }: { title: string; size: Size },
): Line[] {
  return framed(content, { title, columns: size.columns, rows: sheetRows(size, content.length) });
}

/** The rows of a text from `scroll` on, in a frame that tells which they are. */
function framed(
  content: readonly Line[],
  { title, columns, rows, scroll = 0 }: Size & { title: string; scroll?: number },
): Line[] {
  const { lines, note } = windowOf(content, scroll, rows);
  return panel(lines, { columns, rows: rows + 2, title, focused: true, note });
}

/** What a screen says as one long text. */
interface TextScreen<S> extends Pick<Screen<S>, "title" | "answered"> {
  /** A sheet is as high as its text; without one it has the whole body. */
  place?: Screen<S>["place"];
  /** In its frame, where that is not its title. */
  heading?: (state: S) => string;
  /** Its keys, beside those that scroll and that close it. */
  bindings?: (state: S, model: Model) => readonly Binding[];
  content: (state: S, model: Model, columns: number) => readonly Line[];
  /** The columns of the content for a screen reader. */
  plainColumns?: number;
}

export function textScreen<S extends Paged>({
  place = "full",
  heading,
  bindings = () => [],
  content,
  plainColumns = 1000,
  ...own
}: TextScreen<S>): Screen<S> {
  const rowsOf = (size: Size, count: number) =>
    place === "full" ? size.rows - 2 : sheetRows(size, count);
  return {
    ...own,
    place,
    bindings(state, model) {
      const moves = movingBindings(state.kind, (move, now) => {
        const size = bodyOf(now.size);
        const count = content(state, now, size.columns - 2).length;
        const page = rowsOf(size, count);
        const scroll = moved(state.scroll, move, { page, last: lastFirst(count, page) });
        return { model: replaceScreen(now, { ...state, scroll }) };
      });
      const back = backBinding(state.kind, place === "full" ? "back" : "close");
      return [...bindings(state, model), back, ...moves];
    },
    lines(state, model, size) {
      const text = content(state, model, size.columns - 2);
      const title = heading?.(state) ?? own.title(state, model);
      const { columns } = size;
      const rows = rowsOf(size, text.length);
      return framed(text, { title, columns, rows, scroll: state.scroll });
    },
    plain: (state, model) => content(state, model, plainColumns),
  };
}
