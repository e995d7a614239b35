import { LoopError } from "@ccw-loop/core";
import { z } from "zod";
import { COLOR_NAMES, type Colors, TONES } from "./app/theme.ts";
import { DEFAULT_KEYS, isUsedWhileTyping } from "./keys/defaults.ts";
import { isKeyName, isTyping, type KeyMap } from "./keys/keys.ts";

/** The sixteen colors that every terminal has, or any. */
const Color = z.union([
  z.enum(COLOR_NAMES),
  z.string().regex(/^#[0-9a-f]{6}$/i, "use the name of a color, or #rrggbb"),
]);

const Config = z.strictObject({
  keys: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  theme: z.enum(["dark", "light"]).optional(),
  mouse: z.boolean().default(false),
  colors: z.partialRecord(z.enum(TONES), Color).default({}),
});

/** What a configuration file holds, read as JSON. */
export interface ConfigFile {
  path: string;
  value: unknown;
}

export interface TuiConfig {
  keys: KeyMap;
  theme: "dark" | "light" | undefined;
  /** Clicks and the wheel are taken; the terminal then selects text only while Shift is held. */
  mouse: boolean;
  /** In the place of the colors of that theme, by tone. */
  colors: Colors;
}

/** The keys, the theme, the colors and the mouse as a file says. Throws `invalid_input` with its path and what is wrong in it. */
export function parseConfig({ path, value }: ConfigFile): TuiConfig {
  const { success, data, error } = Config.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    const place = issue?.path.join(".") ?? "";
    throw invalid(
      `${path}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "invalid"}.`,
      error,
    );
  }
  const problem = problemOfKeys(data.keys);
  if (problem !== undefined) throw invalid(`${path}: ${problem}`);
  return { keys: data.keys, theme: data.theme, mouse: data.mouse, colors: data.colors };
}

function invalid(message: string, cause?: unknown): LoopError {
  return new LoopError("invalid_input", message, { cause });
}

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
