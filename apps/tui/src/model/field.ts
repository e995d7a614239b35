import { sanitizeText } from "@ccw-loop/view";
import type { KeyPress } from "../keys/key-press.ts";
import { afterWord, beforeWord, boundary, nextBoundary, previousBoundary } from "./graphemes.ts";

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
