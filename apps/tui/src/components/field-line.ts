import { type Tone, widthOf } from "@ccw-loop/view";
import { type Field, graphemesOf } from "../model/field.ts";
import { type Line, plainEmoji, type Span } from "./line.ts";

export interface FieldLook {
  /** At most so many are used. */
  columns: number;
  /** Has the keys: its cursor shows. */
  focused: boolean;
  /** In the place of an empty text. */
  hint?: string;
  tone?: Tone;
}

/** The part of a field around its cursor; `…` stands for what is cut off. Spaces stay as they are typed. */
export function fieldLine(field: Field, { columns, focused, hint = "", tone }: FieldLook): Line {
  if (columns <= 0) return [];
  const plain = tone ?? "plain";
  if (field.text === "") return cut(focused ? [CURSOR] : [], shown(hint), "quiet", columns);
  const before = shown(field.text.slice(0, field.cursor));
  const [under, ...after] = shown(field.text.slice(field.cursor));
  if (!focused) return cut([], shown(field.text), plain, columns);
  const cursor = under ? { ...CURSOR, text: under } : CURSOR;
  const width = Math.max(1, widthOf(cursor.text));
  const left = tail(before, Math.max(0, columns - width - (after.length > 0 ? 1 : 0)));
  const head: Span[] = left === "" ? [cursor] : [{ tone: plain, text: left }, cursor];
  return cut(head, after, plain, columns);
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

/** The spans, and as much of the characters behind them as there are columns for. */
function cut(spans: readonly Span[], rest: readonly string[], tone: Tone, columns: number): Line {
  let left = columns - spans.reduce((sum, { text }) => sum + widthOf(text), 0);
  let text = "";
  for (const [i, piece] of rest.entries()) {
    const width = widthOf(piece);
    if (width > (i < rest.length - 1 ? left - 1 : left)) {
      if (left > 0) text += "…";
      break;
    }
    text += piece;
    left -= width;
  }
  return text === "" ? [...spans] : [...spans, { tone, text }];
}
