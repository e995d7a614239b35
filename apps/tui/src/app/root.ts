import { Box, useInput, usePaste } from "ink";
import { createElement, type ReactElement, useSyncExternalStore } from "react";
import { pressesOf } from "../keys/from-ink.ts";
import type { KeyPress } from "../keys/key-press.ts";
import { Row } from "./row.ts";

/** Where the keys of the terminal go. */
export interface Keyboard {
  pressed: (presses: readonly KeyPress[]) => void;
  pasted: (text: string) => void;
}

/** What the terminal shows, beside that. */
export interface FrameSource extends Keyboard {
  subscribe: (changed: () => void) => () => void;
  /** Painted rows, the same array until they change. */
  rows: () => readonly string[];
}

export function Root({ of }: { of: FrameSource }): ReactElement {
  const rows = useSyncExternalStore(of.subscribe, of.rows);
  return createElement(
    Box,
    { flexDirection: "column", height: rows.length },
    createElement(Keys, of),
    // A row is its place: nothing moves but its text.
    rows.map((text, at) => createElement(Row, { key: String(at), text })),
  );
}

/** Hears the keys and shows nothing. */
export function Keys({ pressed, pasted }: Keyboard): null {
  useInput((input, key) => pressed(pressesOf(input, key)));
  usePaste(pasted);
  return null;
}
