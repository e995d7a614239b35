import { Box, type BoxProps, type DOMElement, measureElement } from "ink";
import { createContext, type ReactNode, use, useEffect, useRef } from "react";
import type { Mouse } from "../keys/mouse.ts";
import type { Spot } from "../model/model.ts";
import type { Line, Size } from "./line.ts";
import { TextLine } from "./text.tsx";

type Named = Pick<Spot, "name"> & { first: number };

/** The boxes that a mouse can point at, as they are on the screen now. */
export class Pointables {
  readonly #boxes = new Map<DOMElement, Named>();

  add(box: DOMElement, named: Named): () => void {
    this.#boxes.set(box, named);
    return () => this.#boxes.delete(box);
  }

  /** The box there, the smallest one where they are within each other. */
  at({ column, row }: Pick<Mouse, "column" | "row">): Spot | undefined {
    const found = [...this.#boxes]
      .map(([box, named]) => ({ ...named, ...measureElement(box) }))
      .filter(({ x, y, width, height }) => isWithin(column - x, width) && isWithin(row - y, height))
      .sort((a, b) => a.width * a.height - b.width * b.height)[0];
    return found && { name: found.name, index: found.first + row - found.y };
  }
}

function isWithin(at: number, length: number): boolean {
  return at >= 0 && at < length;
}

/** Null where no mouse is asked for, and around a screen that does not have the keys. */
export const PointerContext = createContext<Pointables | null>(null);

interface PointableProps extends BoxProps {
  name: string;
  /** The index of what is in its first row. */
  first?: number;
  children?: ReactNode;
}

/** A box that the screen is told of when a mouse points at it. */
export function Pointable({ name, first = 0, children, ...box }: PointableProps) {
  const ref = useRef<DOMElement>(null);
  const pointables = use(PointerContext);
  useEffect(() => {
    if (ref.current !== null) return pointables?.add(ref.current, { name, first });
  }, [pointables, name, first]);
  return (
    <Box ref={ref} flexShrink={0} {...box}>
      {children}
    </Box>
  );
}

interface ListRowsProps {
  of: readonly Line[];
  /** The index of the first of them in the whole list. */
  first: number;
  /** The index of the one that is selected; null for none. */
  selected: number | null;
  columns: number;
  /** As many rows as there are lines by default. */
  rows?: Size["rows"];
}

/** The visible rows of a list, one of them selected. To the mouse it is `list`. */
export function ListRows({ of, first, selected, columns, rows = of.length }: ListRowsProps) {
  return (
    <Pointable name="list" first={first} flexDirection="column" height={rows}>
      {of.map((row, i) => (
        <TextLine
          key={first + i}
          of={row}
          selected={first + i === selected ? columns : undefined}
        />
      ))}
    </Pointable>
  );
}
