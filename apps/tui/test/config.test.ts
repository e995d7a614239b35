import { isLoopError } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { parseConfig } from "../src/config.ts";
import { DEFAULT_KEYS } from "../src/keys/defaults.ts";
import { isKeyName } from "../src/keys/keys.ts";

const parsed = (value: unknown) => parseConfig({ path: "/c/tui.json", value });

test("keys, a theme, the mouse and colors are read", () => {
  const keys = { "loop.pause": ["P", "ctrl+p"], "home.sort": ["O"] };
  const colors = { good: "#00695c", name: "magentaBright" };
  const all = { keys, theme: "light", mouse: true, colors };
  expect(parsed(all)).toEqual(all);
});

test("nothing said is fine, and so is what is usual", () => {
  expect(parsed({})).toEqual({ keys: {}, theme: undefined, mouse: false, colors: {} });
  expect(parsed({ keys: DEFAULT_KEYS }).keys).toEqual(DEFAULT_KEYS);
});

test("two bindings may change their keys with each other", () => {
  const keys = { "home.sort": ["f"], "home.filter": ["o"] };
  expect(parsed({ keys }).keys).toEqual(keys);
});

test.each([
  ["[]", "/c/tui.json: "],
  ['{"mouse": "on"}', "/c/tui.json: mouse: "],
  ['{"theme": "pink"}', "/c/tui.json: theme: "],
  ['{"colors": {"god": "red"}}', "/c/tui.json: colors"],
  ['{"colors": {"good": "#12345"}}', "/c/tui.json: colors.good: "],
  ['{"key": {}}', '/c/tui.json: Unrecognized key: "key"'],
  ['{"keys": {"home.sort": []}}', "/c/tui.json: keys.home.sort: "],
  ['{"keys": {"home.sorted": ["O"]}}', "/c/tui.json: keys.home.sorted: there is no such binding."],
  ['{"keys": {"__proto__.x": ["O"]}}', "/c/tui.json: keys.__proto__.x: there is no such binding."],
  ['{"keys": {"home.sort": ["return"]}}', '/c/tui.json: keys.home.sort: "return" is no key.'],
  ['{"keys": {"home.sort": ["f"]}}', '/c/tui.json: keys.home.sort: "f" is the key of home.filter'],
  [
    '{"keys": {"home.sort": ["O"], "home.filter": ["O"]}}',
    '"O" is the key of home.filter on the same screen.',
  ],
  ['{"keys": {"home.sort": ["?"]}}', '/c/tui.json: keys.home.sort: "?" is the key of app.help'],
  ['{"keys": {"app.help": ["p"]}}', '/c/tui.json: keys.app.help: "p" is the key of home.pause'],
  ['{"keys": {"create.send": ["s"]}}', '/c/tui.json: keys.create.send: "s" types into the field'],
])("%s is refused with the file and the key", (text, expected) => {
  let thrown: unknown;
  try {
    parsed(JSON.parse(text));
  } catch (error) {
    thrown = error;
  }
  expect(isLoopError(thrown, "invalid_input") && thrown.message).toContain(expected);
});

test("every usual key is one that may be configured", () => {
  for (const key of Object.values(DEFAULT_KEYS).flat()) expect(isKeyName(key), key).toBe(true);
});
