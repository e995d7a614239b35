import { sanitizeText } from "@ccw-loop/view";
import type { KeyPress } from "../keys/keys.ts";

/** A text under edit; `cursor` counts UTF-16 units from its beginning and stands between graphemes. */
export interface Field {
  text: string;
  cursor: number;
  /** It may have many lines; any other text is on one. */
  lines?: true;
}

export const emptyField: Field = { text: "", cursor: 0 };
export const emptyText: Field = { ...emptyField, lines: true };

/** UTF-16 units that a field takes; what is pasted beyond that is left out. */
export const LONGEST = 20_000;

/** A field that holds this text, with the cursor behind it. */
export function fieldOf(text: string, empty = emptyField): Field {
  return inserted(empty, text);
}

/** With more text at the cursor, harmless for a terminal. */
export function inserted(field: Field, more: string): Field {
  const { text, cursor, lines } = field;
  const harmless = sanitizeText(more);
  const added = (lines ? harmless : harmless.replaceAll(/[\t\n]+/g, " "))
    .slice(0, Math.max(0, LONGEST - text.length))
    .toWellFormed();
  const whole = text.slice(0, cursor) + added + text.slice(cursor);
  return { ...field, ...placed(whole, cursor + added.length) };
}

/** What a key makes of a field: it types, deletes or moves. Undefined for a key that means nothing in a text. */
export function edited(field: Field, { key, text }: KeyPress): Field | undefined {
  const edit = EDITS[key] ?? (field.lines ? LINE_MOVES[key] : undefined);
  if (edit) return { ...field, ...edit(field) };
  return text === "" ? undefined : inserted(field, text);
}

/** Whether there is a line above or below that of the cursor. */
export function hasLine({ text, cursor }: Field, where: "up" | "down"): boolean {
  return (where === "up" ? text.slice(0, cursor) : text.slice(cursor)).includes("\n");
}

type Edit = (field: Field) => Pick<Field, "text" | "cursor">;

const toStart: Edit = ({ text, cursor }) => ({ text, cursor: startOfLine(text, cursor) });
const toEnd: Edit = ({ text, cursor }) => ({ text, cursor: endOfLine(text, cursor) });
const left: Edit = ({ text, cursor }) => ({ text, cursor: previousBoundary(text, cursor) });
const right: Edit = ({ text, cursor }) => ({ text, cursor: nextBoundary(text, cursor) });
const wordLeft: Edit = ({ text, cursor }) => ({ text, cursor: beforeWord(text, cursor) });
const wordRight: Edit = ({ text, cursor }) => ({ text, cursor: afterWord(text, cursor) });

const EDITS: Readonly<Record<string, Edit>> = {
  left,
  right,
  home: toStart,
  end: toEnd,
  "ctrl+a": toStart,
  "ctrl+e": toEnd,
  "ctrl+b": left,
  "ctrl+f": right,
  "ctrl+left": wordLeft,
  "ctrl+right": wordRight,
  "alt+left": wordLeft,
  "alt+right": wordRight,
  "alt+b": wordLeft,
  "alt+f": wordRight,
  backspace: deleteTo(left),
  "ctrl+h": deleteTo(left),
  delete: deleteTo(right),
  "ctrl+d": deleteTo(right),
  "ctrl+w": deleteTo(wordLeft),
  "alt+backspace": deleteTo(wordLeft),
  "alt+d": deleteTo(wordRight),
  "ctrl+u": deleteTo(toStart),
  "ctrl+k": deleteTo(toEnd),
};

const LINE_MOVES: Readonly<Record<string, Edit>> = {
  up(field) {
    const { text, cursor } = field;
    const start = startOfLine(text, cursor);
    return hasLine(field, "up")
      ? inLine(text, startOfLine(text, start - 1), cursor - start)
      : field;
  },
  down(field) {
    const { text, cursor } = field;
    const below = endOfLine(text, cursor) + 1;
    return hasLine(field, "down") ? inLine(text, below, cursor - startOfLine(text, cursor)) : field;
  },
};

function startOfLine(text: string, at: number): number {
  return text.slice(0, at).lastIndexOf("\n") + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** So far behind the beginning of the line at `start`, or at its end. */
function inLine(text: string, start: number, column: number): Pick<Field, "text" | "cursor"> {
  return placed(text, Math.min(start + column, endOfLine(text, start)));
}

/** Deletes what lies between the cursor and where that move would take it. */
function deleteTo(move: Edit): Edit {
  return (field) => {
    const { text, cursor } = field;
    const other = move(field).cursor;
    const [from, to] = other < cursor ? [other, cursor] : [cursor, other];
    return placed(text.slice(0, from) + text.slice(to), from);
  };
}

/** What is now on both sides of the cursor may have become one grapheme: then the cursor goes behind it. */
function placed(text: string, cursor: number): Pick<Field, "text" | "cursor"> {
  return { text, cursor: boundary(text, cursor) };
}

const graphemes = new Intl.Segmenter();
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** The characters of a text as a person sees them. */
export function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The first place between graphemes from `at` on. */
export function boundary(text: string, at: number): number {
  const inside = graphemes.segment(text).containing(at);
  if (inside === undefined) return Math.min(Math.max(at, 0), text.length);
  return inside.index === at ? at : inside.index + inside.segment.length;
}

export function nextBoundary(text: string, at: number): number {
  const next = graphemes.segment(text).containing(at);
  return next === undefined ? text.length : next.index + next.segment.length;
}

export function previousBoundary(text: string, at: number): number {
  return at <= 0 ? 0 : (graphemes.segment(text).containing(at - 1)?.index ?? 0);
}

/** Behind the word that stands or begins at or after `at`. */
export function afterWord(text: string, at: number): number {
  for (const { index, segment, isWordLike } of words.segment(text)) {
    const end = index + segment.length;
    if (isWordLike && end > at) return boundary(text, end);
  }
  return text.length;
}

/** Before the word that stands or ends before `at`. */
export function beforeWord(text: string, at: number): number {
  let start = 0;
  for (const { index, isWordLike } of words.segment(text)) {
    if (index >= at) break;
    if (isWordLike) start = index;
  }
  return graphemes.segment(text).containing(start)?.index ?? start;
}
