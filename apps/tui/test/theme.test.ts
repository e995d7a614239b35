import { expect, test } from "vitest";
import { painted, themeFor } from "../src/app/theme.ts";
import { line } from "../src/components/line.ts";

const dark = { color: true, env: {}, plain: false };

test.each([
  ["16 colors on dark", dark, "\x1B[33mwaits\x1B[39m"],
  [
    "on light, where yellow cannot be read",
    { ...dark, background: "light" },
    "\x1B[35mwaits\x1B[39m",
  ],
  ["light, as the terminal says", { ...dark, env: { COLORFGBG: "0;15" } }, "\x1B[35mwaits\x1B[39m"],
  [
    "dark, as the terminal says",
    { ...dark, env: { COLORFGBG: "15;default;0" } },
    "\x1B[33mwaits\x1B[39m",
  ],
  [
    "what is asked for before that",
    { ...dark, background: "dark", env: { COLORFGBG: "0;15" } },
    "\x1B[33mwaits\x1B[39m",
  ],
  [
    "all colors",
    { ...dark, env: { COLORTERM: "truecolor" } },
    "\x1B[38;2;227;179;65mwaits\x1B[39m",
  ],
  [
    "NO_COLOR leaves weight",
    { ...dark, env: { NO_COLOR: "1", COLORTERM: "truecolor" } },
    "\x1B[1mwaits\x1B[22m",
  ],
  [
    "a color of one's own, by its name",
    { ...dark, colors: { warning: "blueBright" } },
    "\x1B[94mwaits\x1B[39m",
  ],
  [
    "a color of one's own, where the terminal has all",
    { ...dark, colors: { warning: "#010203" }, env: { COLORTERM: "truecolor" } },
    "\x1B[38;2;1;2;3mwaits\x1B[39m",
  ],
  [
    "and where it has sixteen",
    { ...dark, colors: { warning: "#010203" } },
    "\x1B[33mwaits\x1B[39m",
  ],
  ["--no-color leaves weight", { ...dark, color: false }, "\x1B[1mwaits\x1B[22m"],
  ["lines without colors have nothing", { ...dark, color: false, plain: true }, "waits"],
] as const)("%s", (_, wish, expected) => {
  expect(painted(line("waits", "warning"), themeFor(wish))).toBe(expected);
});
