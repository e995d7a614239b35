import { widthOf } from "@ccw-loop/view";

/**
 * One key as a person names it: `a`, `S`, `/`, `space`, `enter`, `esc`, `tab`, `shift+tab`, `up`, `pageup`, `home`,
 * `backspace`, `delete`, `ctrl+c`, `alt+b`; `paste` for a text that was pasted, to which nothing is bound. `text` is what
 * it types into a field; empty for keys that type nothing.
 */
export interface KeyPress {
  key: string;
  text: string;
}

/** Which keys do what: the id of a binding with its keys, most usual first. Only what differs from the default. */
export type KeyMap = Readonly<Record<string, readonly string[]>>;

const NAMES: ReadonlySet<string> = new Set([
  ...["space", "enter", "esc", "tab", "backspace", "delete"],
  ...["up", "down", "left", "right", "pageup", "pagedown", "home", "end"],
]);

const segments = new Intl.Segmenter();

/** Whether a terminal can tell us this key under this name. */
export function isKeyName(text: string): boolean {
  const [, modifiers = "", base = ""] =
    /^((?:ctrl\+)?(?:alt\+)?(?:shift\+)?)(.+)$/su.exec(text) ?? [];
  if (NAMES.has(base)) return true;
  // Shift with a character is another character.
  if (modifiers.includes("shift+")) return false;
  // To a terminal Ctrl with i or m is tab and enter.
  if (modifiers.includes("ctrl+")) return /^[a-hj-ln-z\\\]^_]$/.test(base);
  return [...segments.segment(base)].length === 1 && widthOf(base) > 0 && base !== " ";
}

/** Whether a field takes this key as text. */
export function isTyping(key: string): boolean {
  return (
    key === "space" || (!NAMES.has(key) && !/^(ctrl|alt)\+./.test(key) && !key.startsWith("shift+"))
  );
}

const SHOWN: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
};

/** A key as the footer and the help write it. */
export function shownKey(key: string): string {
  return SHOWN[key] ?? key;
}
