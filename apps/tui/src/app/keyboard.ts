import { type Key, useApp, useInput, usePaste } from "ink";
import { useEffect } from "react";
import type { KeyPress } from "../keys/keys.ts";

/** Where the keys of the terminal go. */
export interface Keyboard {
  pressed: (presses: readonly KeyPress[]) => void;
  pasted: (text: string) => void;
  /** Given Ink's way to hand the terminal to another program. */
  opened?: (suspend: Suspend) => void;
}

export type Suspend = ReturnType<typeof useApp>["suspendTerminal"];

/** Takes the keys and shows nothing. */
export function Keys({ pressed, pasted, opened }: Keyboard): null {
  const { suspendTerminal } = useApp();
  useEffect(() => opened?.(suspendTerminal), [opened, suspendTerminal]);
  useInput((input, key) => pressed(pressesOf(input, key)));
  usePaste(pasted);
  return null;
}

const segments = new Intl.Segmenter();

/** What Ink calls keys that type nothing, and what we call them. */
const NAMED = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
] as const satisfies readonly (readonly [keyof Key, string])[];

/**
 * The presses behind one input event of Ink. Keys that were pressed fast come in one event, as text; none of them may
 * be lost.
 */
export function pressesOf(input: string, key: Key): KeyPress[] {
  if (key.eventType === "release") return [];
  const named = NAMED.find(([name]) => key[name])?.[1];
  if (named !== undefined) return [without(named, key)];
  // Ink tells two in a row as one with Alt.
  if (key.escape) return key.meta ? [nothing("esc"), nothing("esc")] : [nothing("esc")];
  if (key.ctrl || (key.meta && input !== "")) {
    return [without(input === " " ? "space" : input, { ...key, shift: false })];
  }
  return [...segments.segment(input)].map(({ segment }) => typed(segment));
}

function without(name: string, { ctrl, meta, shift }: Pick<Key, "ctrl" | "meta" | "shift">) {
  return nothing(`${ctrl ? "ctrl+" : ""}${meta ? "alt+" : ""}${shift ? "shift+" : ""}${name}`);
}

function nothing(key: string): KeyPress {
  return { key, text: "" };
}

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\r\n": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\b": "backspace",
  "\x7F": "backspace",
  "\x1B": "esc",
};

function typed(character: string): KeyPress {
  if (character === " ") return { key: "space", text: " " };
  const control = CONTROLS[character];
  if (control !== undefined) return nothing(control);
  const code = character.charCodeAt(0);
  if (code < 0x20) return nothing(`ctrl+${String.fromCharCode(code + 0x60)}`);
  return { key: character, text: character };
}
