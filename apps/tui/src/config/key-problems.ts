import type { KeyMap } from "../keys/key-map.ts";
import { isKeyName, isTyping } from "../keys/key-name.ts";
import { DEFAULT_KEYS, isUsedWhileTyping } from "../keys/known-keys.ts";

/** What is wrong with configured keys, as a sentence that names the binding; undefined when nothing is. */
export function problemOfKeys(map: KeyMap): string | undefined {
  for (const [id, keys] of Object.entries(map)) {
    const problem = Object.hasOwn(DEFAULT_KEYS, id)
      ? keys.map((key) => problemOfKey(id, key, map)).find((one) => one !== undefined)
      : "there is no such binding. The readme of @ccw-loop/tui has all of them.";
    if (problem !== undefined) return `keys.${id}: ${problem}`;
  }
  return undefined;
}

function problemOfKey(id: string, key: string, map: KeyMap): string | undefined {
  const shown = JSON.stringify(key);
  if (!isKeyName(key)) {
    return `${shown} is no key. A key is one character, or enter, esc, tab, space, up, down, left, right, pageup, pagedown, home, end, backspace or delete, with ctrl+, alt+ or shift+ in front.`;
  }
  // What is usual is known to go together.
  if (DEFAULT_KEYS[id]?.includes(key)) return undefined;
  if (isUsedWhileTyping(id) && isTyping(key)) {
    return `${shown} types into the field that is open then. Use one with ctrl+ or alt+.`;
  }
  const other = Object.keys(DEFAULT_KEYS).find(
    (one) => one !== id && meet(one, id) && keysFor(one, map).includes(key),
  );
  return other && `${shown} is the key of ${other} on the same screen. Give one of them another.`;
}

function keysFor(id: string, map: KeyMap): readonly string[] {
  return map[id] ?? DEFAULT_KEYS[id] ?? [];
}

/** Whether both may be asked on one screen. */
function meet(one: string, other: string): boolean {
  const screens = [one, other].map((id) => id.slice(0, id.indexOf(".")));
  return screens[0] === screens[1] || screens.includes("app");
}
