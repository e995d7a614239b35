import { Box } from "ink";
import type { ReactNode } from "react";
import type { Line, Size } from "../components/line.ts";
import { Panel } from "../components/panel.tsx";
import { ListRows } from "../components/pointer.tsx";
import { TextLines } from "../components/text.tsx";
import { useModel } from "../components/use-model.ts";
import { type Model, replaceScreen } from "../model/model.ts";
import type { Binding, Screen, ViewProps } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { bodyOf, lastFirst, moved, windowAround, windowOf } from "../model/scroll.ts";
import { backBinding, movingBindings } from "./bindings.ts";

/** A screen whose content is one long text. */
type Paged = Extract<ScreenState, { scroll: number }>;

/** Rows of a sheet that stay free for what is below it. */
const LEFT_FREE = 3;

/** Rows for the text of a sheet over a body of that size. */
export function sheetRows({ rows }: Size, count: number): number {
  return Math.max(1, Math.min(count, rows - LEFT_FREE - 2));
}

/** A panel at the bottom, as high as it needs and the body allows. */
export function Sheet({ title, size, children }: SheetProps) {
  return (
    <Panel title={title} focused maxHeight={size.rows - LEFT_FREE}>
      {children}
    </Panel>
  );
}

interface SheetProps {
  title: string;
  size: Size;
  children: ReactNode;
}

/** What a screen says as one long text. */
interface TextScreen<S> extends Pick<Screen<S>, "title" | "answered" | "clicked"> {
  /** A sheet is as high as its text; without one it has the whole body. */
  place?: Screen<S>["place"];
  /** In its frame, where that is not its title. */
  heading?: (state: S) => string;
  /** Its keys, beside those that scroll and that close it. */
  bindings?: (state: S, model: Model) => readonly Binding[];
  content: (state: S, model: Model, columns: number) => readonly Line[];
  /** What stands on the left of it where there is room; `at` is the line that is looked at. */
  beside?: (state: S, size: Size) => Beside | undefined;
  /** The columns of the content for a screen reader. */
  plainColumns?: number;
}

interface Beside {
  title: string;
  lines: readonly Line[];
  at: number;
  /** With its frame. */
  columns: number;
}

export function textScreen<S extends Paged>({
  place = "full",
  heading,
  bindings = () => [],
  content,
  beside = () => undefined,
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
        const columns = size.columns - (beside(state, size)?.columns ?? 0);
        const count = content(state, now, columns - 2).length;
        const page = rowsOf(size, count);
        const scroll = moved(state.scroll, move, { page, last: lastFirst(count, page) });
        return { model: replaceScreen(now, { ...state, scroll }) };
      });
      const back = backBinding(state.kind, place === "full" ? "back" : "close");
      return [...bindings(state, model), back, ...moves];
    },
    View: function Page({ state, size }: ViewProps<S>) {
      const model = useModel();
      const left = beside(state, size);
      const width = size.columns - (left?.columns ?? 0);
      const text = content(state, model, width - 2);
      const rows = rowsOf(size, text.length);
      const { lines, note } = windowOf(text, state.scroll, rows);
      const page = (
        <Panel
          title={heading?.(state) ?? own.title(state, model)}
          focused
          note={note}
          width={width}
          height={rows + 2}
        >
          <TextLines of={lines} />
        </Panel>
      );
      if (left === undefined) return page;
      const { title, columns, at } = left;
      const shown = windowAround(left.lines, at, rows);
      return (
        <Box>
          <Panel title={title} note={shown.note} width={columns} height={rows + 2}>
            <ListRows of={shown.lines} first={shown.first} selected={at} columns={columns - 2} />
          </Panel>
          {page}
        </Box>
      );
    },
    plain: (state, model) => content(state, model, plainColumns),
  };
}
