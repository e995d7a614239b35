import { expect, test } from "vitest";
import { styledRows } from "../scripts/screenshots/styled-rows.ts";
import { svgOf } from "../scripts/screenshots/svg.ts";

const ESC = "\u001b";
const shown = (captured: string) =>
  styledRows(captured).map((row) =>
    row.map(({ at, columns, text, look }) => {
      const differs = Object.entries(look).filter(([, value]) => value !== null && value !== false);
      return [at, columns, text, Object.fromEntries(differs)];
    }),
  );

test.each([
  ["plain text", "ab", [[0, 2, "ab", {}]]],
  [
    "a color",
    `${ESC}[38;2;1;2;255mok${ESC}[39m.`,
    [
      [0, 2, "ok", { color: "#0102ff" }],
      [2, 1, ".", {}],
    ],
  ],
  [
    "several codes",
    `${ESC}[1;38;2;255;0;0;7mx${ESC}[0my`,
    [
      [0, 1, "x", { bold: true, inverse: true, color: "#ff0000" }],
      [1, 1, "y", {}],
    ],
  ],
  [
    "a weight that ends",
    `${ESC}[1ma${ESC}[22mb`,
    [
      [0, 1, "a", { bold: true }],
      [1, 1, "b", {}],
    ],
  ],
  [
    "wide characters",
    "a合🛒b",
    [
      [0, 1, "a", {}],
      [1, 2, "合", {}],
      [3, 2, "🛒", {}],
      [5, 1, "b", {}],
    ],
  ],
  [
    "a reset without a number",
    `${ESC}[1ma${ESC}[mb`,
    [
      [0, 1, "a", { bold: true }],
      [1, 1, "b", {}],
    ],
  ],
])("a captured screen keeps %s", (_, captured, row) => {
  expect(shown(captured)).toEqual([row]);
});

test("a color lasts over the end of a row", () => {
  expect(shown(`${ESC}[38;2;0;128;0ma\nb${ESC}[0m\nc\n`)).toEqual([
    [[0, 1, "a", { color: "#008000" }]],
    [[0, 1, "b", { color: "#008000" }]],
    [[0, 1, "c", {}]],
  ]);
});

test("a picture has every row at its place, every text harmless, and colors swapped where they are inverse", () => {
  const svg = svgOf(`<&>\n${ESC}[7;38;2;255;0;0mx${ESC}[0m`, { columns: 10, title: "a < b" });
  expect(svg).toContain('viewBox="0 0 116 66"');
  expect(svg).toContain("<title>a &lt; b</title>");
  expect(svg).toMatch(/<text x="16" textLength="25.2" y="29" [^>]*>&lt;&amp;&gt;<\/text>/);
  expect(svg).toContain('<rect x="16" y="33" width="8.4" height="17" fill="#ff0000"/>');
  expect(svg).toMatch(/<text x="16" textLength="8.4" y="46" [^>]*fill="#0d1117">x<\/text>/);
});

test("words keep their columns, though browsers fold spaces", () => {
  const svg = svgOf("  a b   c", { columns: 10, title: "" });
  expect(svg).toMatch(/<text x="32.8" textLength="25.2" [^>]*>a b<\/text>/);
  expect(svg).toMatch(/<text x="83.2" textLength="8.4" [^>]*>c<\/text>/);
});
