import { stripVTControlCharacters } from "node:util";
import { renderToString } from "ink";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import { themeFor } from "../src/app/theme.ts";
import { FieldLine } from "../src/components/field.tsx";
import { Gauge } from "../src/components/gauge.tsx";
import { span } from "../src/components/line.ts";
import { Panel, Rule } from "../src/components/panel.tsx";
import { Text, TextLine, ThemeContext } from "../src/components/text.tsx";
import { fieldOf } from "../src/model/field.ts";

const drawn = (element: ReactElement, columns = 24) => renderToString(element, { columns });
const shown = (element: ReactElement, columns?: number) =>
  stripVTControlCharacters(drawn(element, columns));

test("a text has the look of its tone, and nothing that a terminal obeys", () => {
  const theme = themeFor({ color: true, env: {}, plain: false });
  const text = "\u001B[31mred\u001B[0m\u001B]8;;http://x\u0007 link\nline";
  expect(
    drawn(
      <ThemeContext value={theme}>
        <Text tone="good">{text}</Text>
      </ThemeContext>,
    ),
  ).toBe("\u001B[32mred link line\u001B[39m");
});

test.each([
  ["truncate-end", "one two three four five…"],
  ["wrap", "one two three four five\nsix"],
] as const)("what is too long: %s", (wrap, text) => {
  expect(shown(<Text wrap={wrap}>one two three four five six</Text>)).toBe(text);
});

test("a selected row fills its columns in one look", () => {
  const of = [span("a", "good"), span("b", "bad")];
  expect(drawn(<TextLine of={of} selected={5} />)).toBe("\u001B[7mab   \u001B[27m");
});

test("a blank row takes its place", () => {
  expect(
    shown(
      <Panel title="T" height={4} width={8}>
        <TextLine of={[]} />
        <Text>x</Text>
      </Panel>,
    ),
  ).toBe("╭ T ───╮\n│      │\n│x     │\n╰──────╯");
});

test("a panel has its title and its note in its edge, and cuts what is too long for it", () => {
  expect(
    shown(
      <Panel title="Tasks" note="1/2" width={24} height={4}>
        <Text>one</Text>
        <Text>two</Text>
        <Text>three</Text>
      </Panel>,
    ),
  ).toBe(
    "╭ Tasks ───────── 1/2 ─╮\n│one                   │\n│two                   │\n╰──────────────────────╯",
  );
  const narrow = shown(
    <Panel title="A title that is long" note="12-30 of 400" width={24} height={3} />,
  );
  expect(narrow.split("\n").map((row) => row.length)).toEqual([24, 24, 24]);
  expect(narrow).toContain("12-30 of 400 ─╮");
});

test("a rule goes across, with its name near its beginning", () => {
  expect(shown(<Rule name="cart" />)).toBe("─ cart ─────────────────");
});

test.each([
  [0, "tokens ░░░░░░░░░░░ 0/20"],
  [10, "tokens █████░░░░░ 10/20"],
  [20, "tokens ██████████ 20/20"],
])("a gauge with %i of 20 used", (used, text) => {
  expect(shown(<Gauge name="tokens" used={used} bound={20} text={`${used}/20`} width={24} />)).toBe(
    text,
  );
});

test("a field has its prompt, and its hint where nothing is typed", () => {
  expect(shown(<FieldLine field={fieldOf("")} columns={20} focused hint="a task" />)).toBe(
    ">  a task",
  );
  expect(shown(<FieldLine field={fieldOf("mend it")} columns={20} focused={false} />)).toBe(
    "> mend it",
  );
});
