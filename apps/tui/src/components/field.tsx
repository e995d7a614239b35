import { type Tone, truncateToWidth, widthOf } from "@ccw-loop/view";
import { Box } from "ink";
import { type Field, graphemesOf } from "../model/field.ts";
import { type Line, lineWidth, plainEmoji, type Span } from "./line.ts";
import { Text, TextLine } from "./text.tsx";

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

/** The part of a field around its cursor; `…` stands for what is cut off. Spaces stay as they are typed. */
export function fieldSpans(field: Field, look: FieldLook): Line {
  const { columns, focused, hint = "", tone = "plain" } = look;
  if (columns <= 0) return [];
  if (field.text === "") return filled(focused ? [CURSOR] : [], hint, "quiet", columns);
  if (!focused) return filled([], field.text, tone, columns);
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
  return graphemesOf(text).map(plainEmoji);
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
  const text = truncateToWidth(plainEmoji(rest), columns - lineWidth(spans));
  return text === "" ? spans : [...spans, { tone, text }];
}
