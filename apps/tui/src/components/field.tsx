import { type Tone, truncateToWidth, widthOf } from "@ccw-loop/view";
import { Box } from "ink";
import { type Field, graphemesOf } from "../model/field.ts";
import { windowAround } from "../model/scroll.ts";
import { type Line, lineWidth, type Span, steady } from "./line.ts";
import { Text, TextLine, TextLines } from "./text.tsx";

export interface FieldLook {
  /** At most so many are used. */
  columns: number;
  /** Has the keys: its cursor shows. */
  focused: boolean;
  /** In the place of an empty text. */
  hint?: string;
  tone?: Tone;
}

/** A field with its prompt on a row, as much of it as there are columns for. */
export function FieldLine({ field, ...look }: FieldLook & { field: Field }) {
  return (
    <Box flexShrink={0}>
      <Box width={2} flexShrink={0}>
        <Text tone="name">{"> "}</Text>
      </Box>
      <TextLine of={fieldSpans(field, look)} />
    </Box>
  );
}

/** A field with its prompt over as many rows as its text needs, or those around its cursor. */
export function FieldRows({ field, rows, ...look }: FieldLook & { field: Field; rows: number }) {
  const shown = fieldRows(field, look);
  return (
    <Box flexShrink={0}>
      <Box width={2} flexShrink={0}>
        <Text tone="name">{"> "}</Text>
      </Box>
      <Box flexDirection="column">
        <TextLines of={windowAround(shown.lines, shown.at, rows).lines} />
      </Box>
    </Box>
  );
}

/** All rows of a field, broken between words, and the number of the one that has the cursor. */
export function fieldRows(field: Field, look: FieldLook): { lines: Line[]; at: number } {
  const { columns, focused, tone = "plain" } = look;
  const { text, cursor } = field;
  if (text === "" || columns < 4) return { lines: [fieldSpans(field, look)], at: 0 };
  // Behind a full row there is still room for a blank and the cursor.
  const rows = brokenRows(text, columns - 2);
  const at = rows.findLastIndex(({ from }) => from <= cursor);
  const lines = rows.map(({ from, text: own }, i): Line => {
    if (!focused || i !== at) return [{ tone, text: shown(own).join("") }];
    const [under = " ", ...after] = shown(own.slice(cursor - from));
    const before = shown(own.slice(0, cursor - from)).join("");
    return [
      { tone, text: before },
      { ...CURSOR, text: under },
      { tone, text: after.join("") },
    ];
  });
  return { lines, at };
}

interface Row {
  /** Where it begins in the text. */
  from: number;
  text: string;
}

function brokenRows(text: string, columns: number): Row[] {
  const rows: Row[] = [];
  let row: Row = { from: 0, text: "" };
  let used = 0;
  const next = (from: number, begun = "") => {
    rows.push(row);
    row = { from, text: begun };
    used = widthOf(shown(begun).join(""));
  };
  for (const one of graphemesOf(text)) {
    const { from, text: before } = row;
    const at = from + before.length;
    if (one === "\n") {
      next(at + 1);
      continue;
    }
    const width = widthOf(shownOne(one));
    if (before !== "" && used + width > columns + (one === " " ? 1 : 0)) {
      // A word that has begun goes to the next row, unless it began the row.
      const word = before.lastIndexOf(" ") + 1;
      const begun = word === 0 ? "" : before.slice(word);
      row = { from, text: before.slice(0, before.length - begun.length) };
      next(at - begun.length, begun);
    }
    row.text += one;
    used += width;
  }
  return [...rows, row];
}

/** The part of a field around its cursor; `…` stands for what is cut off. Spaces stay as they are typed. */
export function fieldSpans(field: Field, look: FieldLook): Line {
  const { columns, focused, hint = "", tone = "plain" } = look;
  if (columns <= 0) return [];
  if (field.text === "") return filled(focused ? [CURSOR] : [], hint, "quiet", columns);
  if (!focused) return filled([], field.text.replaceAll(/[\t\n]/g, " "), tone, columns);
  const before = shown(field.text.slice(0, field.cursor));
  const [under, ...after] = shown(field.text.slice(field.cursor));
  const cursor = under ? { ...CURSOR, text: under } : CURSOR;
  const width = Math.max(1, widthOf(cursor.text));
  const left = tail(before, Math.max(0, columns - width - (after.length > 0 ? 1 : 0)));
  const head: Span[] = left === "" ? [cursor] : [{ tone, text: left }, cursor];
  return filled(head, after.join(""), tone, columns);
}

/** Its characters, as they are shown. */
function shown(text: string): string[] {
  return graphemesOf(text).map(shownOne);
}

function shownOne(character: string): string {
  return character === "\t" ? "  " : steady(character);
}

const CURSOR: Span = { tone: "plain", text: " ", inverse: true };

/** The end of a text in at most that many columns. */
function tail(of: readonly string[], columns: number): string {
  let used = 0;
  let from = of.length;
  while (from > 0) {
    const width = widthOf(of[from - 1] ?? "");
    // One column is kept for the mark as long as something is left out.
    if (used + width > (from > 1 ? columns - 1 : columns)) break;
    used += width;
    from -= 1;
  }
  return from === 0 ? of.join("") : columns > 0 ? `…${of.slice(from).join("")}` : "";
}

/** The spans, and as much of the text behind them as there are columns for. */
function filled(spans: Line, rest: string, tone: Tone, columns: number): Line {
  const text = truncateToWidth(steady(rest), columns - lineWidth(spans));
  return text === "" ? spans : [...spans, { tone, text }];
}
