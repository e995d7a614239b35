import type { Activity } from "@ccw-loop/core";
import { emptyAgentLog, withActivity } from "@ccw-loop/view";
import { expect, test } from "vitest";
import { nothingSpoken, spokenUpTo, unspokenLines } from "../src/app/unspoken.ts";
import { textOf } from "../src/components/line.ts";
import { LINES_READ_OUT } from "../src/screens/loop/panes/agent.ts";

const AT = "2026-01-22T10:00:00.000Z";
const says = (text: string): Activity => ({
  at: AT,
  action: "DEVELOP",
  event: { type: "message.delta", text },
});
const logOf = (...texts: string[]) => withActivity(emptyAgentLog, texts.map(says));
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join("");

test("a line is told when it ended, and once", () => {
  const half = logOf("first\nhalf a sen");
  expect(unspokenLines(half, nothingSpoken).map(textOf)).toEqual(["first"]);
  const whole = withActivity(half, [says("tence\n")]);
  expect(unspokenLines(whole, spokenUpTo(half)).map(textOf)).toEqual(["half a sentence"]);
  expect(unspokenLines(whole, spokenUpTo(whole))).toEqual([]);
});

test("of more than anybody can listen to the last lines are told, with the number of the others", () => {
  const news = unspokenLines(logOf(numbered(1000)), nothingSpoken).map(textOf);
  expect(news).toHaveLength(LINES_READ_OUT + 1);
  expect(news[0]).toMatch(/980 lines of the agent are left out/);
  expect(news.at(-1)).toBe("line 999");
});

test("lines that fell out at the top count as well", () => {
  const before = logOf(numbered(10));
  const after = withActivity(before, [says(numbered(20_000))]);
  const [note] = unspokenLines(after, spokenUpTo(before)).map(textOf);
  expect(note).toMatch(/19980 lines/);
});
