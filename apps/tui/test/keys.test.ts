import fc from "fast-check";
import { render } from "ink";
import { createElement } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { Keys } from "../src/app/keyboard.ts";
import { isKeyName, type KeyPress } from "../src/keys/keys.ts";
import type { Binding } from "../src/model/screen.ts";
import { findBinding, keysOf } from "../src/screens/bindings.ts";
import { fakeTerminal } from "./support/fake-terminal.ts";

const SOON = { interval: 2, timeout: 5000 };

/** Types bytes into a real Ink, and answers with the presses that come of them. */
function keyboard() {
  const terminal = fakeTerminal();
  const presses: KeyPress[] = [];
  const pastes: string[] = [];
  const { unmount } = render(
    createElement(Keys, {
      pressed: (more) => void presses.push(...more),
      pasted: (text) => void pastes.push(text),
    }),
    {
      ...terminal,
      stdin: terminal.stdin as never,
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
    },
  );
  onTestFinished(() => unmount());
  return { type: terminal.type, presses, pastes };
}

test.each([
  ["a letter", "a", [{ key: "a", text: "a" }]],
  ["a capital letter", "S", [{ key: "S", text: "S" }]],
  ["a question mark", "?", [{ key: "?", text: "?" }]],
  ["space", " ", [{ key: "space", text: " " }]],
  ["enter", "\r", [{ key: "enter", text: "" }]],
  ["a line feed", "\n", [{ key: "ctrl+j", text: "" }]],
  ["alt and enter", "\x1B\r", [{ key: "alt+enter", text: "" }]],
  ["tab", "\t", [{ key: "tab", text: "" }]],
  ["shift and tab", "\x1B[Z", [{ key: "shift+tab", text: "" }]],
  ["escape", "\x1B", [{ key: "esc", text: "" }]],
  ["escape twice", "\x1B\x1B", Array(2).fill({ key: "esc", text: "" })],
  ["backspace", "\x7F", [{ key: "backspace", text: "" }]],
  ["delete", "\x1B[3~", [{ key: "delete", text: "" }]],
  ["arrows", "\x1B[A\x1B[B\x1BOC", ["up", "down", "right"].map((key) => ({ key, text: "" }))],
  ["pages", "\x1B[5~\x1B[6~", ["pageup", "pagedown"].map((key) => ({ key, text: "" }))],
  ["ctrl and an arrow", "\x1B[1;5C", [{ key: "ctrl+right", text: "" }]],
  ["ctrl and a letter", "\x03", [{ key: "ctrl+c", text: "" }]],
  ["alt and a letter", "\x1Bb", [{ key: "alt+b", text: "" }]],
  ["an emoji of several parts", "👩‍🚀", [{ key: "👩‍🚀", text: "👩‍🚀" }]],
  ["a wide character", "漢", [{ key: "漢", text: "漢" }]],
  ["a report of the mouse, which is no key", "\x1B[<64;10;10M", []],
])("%s", async (_, bytes, expected) => {
  const { type, presses } = keyboard();
  type(bytes);
  // Ink waits a moment behind an escape. The last key says that all were read.
  await vi.waitFor(() => expect(presses.length).toBe(expected.length), SOON);
  type("$");
  await vi.waitFor(() => expect(presses.at(-1)?.key).toBe("$"), SOON);
  expect(presses.slice(0, -1)).toEqual(expected);
});

test("keys that come in one piece are all there, in their order", async () => {
  const { type, presses } = keyboard();
  type("jjk\rabc\x7F\tdé\x1B[Aq");
  const keys = [..."jjk", "enter", ..."abc", "backspace", "tab", "d", "é", "up", "q"];
  await vi.waitFor(() => expect(presses.map(({ key }) => key)).toEqual(keys), SOON);
});

test("any text that is typed arrives whole", () => {
  const { type, presses } = keyboard();
  return fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom(...("abcXYZ019 ?/é漢🙂$~[]".match(/./gu) ?? [])),
        minLength: 1,
      }),
      async (text) => {
        presses.length = 0;
        type(text);
        await vi.waitFor(
          () => expect(presses.map((press) => press.text).join("")).toBe(text),
          SOON,
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("a paste is one piece, whatever is in it", async () => {
  const { type, presses, pastes } = keyboard();
  type("a\x1B[200~q\rx\x03\x1B[A\x1B[201~b");
  await vi.waitFor(() => expect(pastes).toEqual(["q\rx\x03\x1B[A"]), SOON);
  expect(presses.map(({ key }) => key)).toEqual(["a", "b"]);
});

test.each([
  ["a", true],
  ["S", true],
  ["漢", true],
  ["space", true],
  ["shift+tab", true],
  ["ctrl+alt+up", true],
  ["ctrl+p", true],
  ["alt+/", true],
  ["ctrl+j", true],
  ["ctrl+P", false],
  ["ctrl+i", false],
  ["ctrl+alt+m", false],
  ["shift+a", false],
  ["return", false],
  ["ab", false],
  [" ", false],
  ["", false],
  ["ctrl+", false],
  ["\n", false],
])("%j as the name of a key: %s", (name, expected) => {
  expect(isKeyName(name)).toBe(expected);
});

test("configured keys stand in for the usual ones", () => {
  const run = (model: unknown) => ({ model }) as never;
  const pause: Binding = { id: "loop.pause", label: "pause", run };
  const stop: Binding = { id: "loop.stop", keys: ["x", "S"], label: "stop", run };
  const map = { "loop.pause": ["P", "ctrl+p"] };
  expect(keysOf(pause, map)).toEqual(["P", "ctrl+p"]);
  expect(findBinding([pause, stop], "ctrl+p", map)).toBe(pause);
  expect(findBinding([pause, stop], "S", map)).toBe(stop);
  expect(findBinding([pause, stop], "p", map)).toBeUndefined();
});
