import { sanitizeText } from "@ccw-loop/view";
import type { KeyPress } from "../keys/keys.ts";

/** One line of text under edit; `cursor` counts UTF-16 units from its beginning and stands between graphemes. */
export interface Field {
  text: string;
  cursor: number;
}

export const emptyField: Field = { text: "", cursor: 0 };

/** UTF-16 units that a field takes; what is pasted beyond that is left out. */
export const LONGEST = 20_000;

/** A field that holds this text, with the cursor behind it. */
export function fieldOf(text: string): Field {
  return inserted(emptyField, text);
}

/** With more text at the cursor, on one line and harmless for a terminal. */
export function inserted({ text, cursor }: Field, more: string): Field {
  const flat = sanitizeText(more)
    .replaceAll(/[\t\n]+/g, " ")
    .slice(0, Math.max(0, LONGEST - text.length))
    .toWellFormed();
  return placed(text.slice(0, cursor) + flat + text.slice(cursor), cursor + flat.length);
}

/** What a key makes of a field: it types, deletes or moves. Undefined for a key that means nothing in a line of text. */
export function edited(field: Field, { key, text }: KeyPress): Field | undefined {
  const edit = EDITS[key];
  if (edit) return edit(field);
  return text === "" ? undefined : inserted(field, text);
}

type Edit = (field: Field) => Field;

const toStart: Edit = ({ text }) => ({ text, cursor: 0 });
const toEnd: Edit = ({ text }) => ({ text, cursor: text.length });
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
function placed(text: string, cursor: number): Field {
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
