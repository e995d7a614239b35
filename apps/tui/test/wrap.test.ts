import { expect, test } from "vitest";
import { textOf, wrappedTo } from "../src/components/line.ts";

const over = (text: string, columns: number, rows: number) =>
  wrappedTo(text, { columns, rows }, "plain").map(textOf);

test.each([
  ["short", 20, 2, ["short"]],
  ["a few words over two rows", 14, 2, ["a few words", "over two rows"]],
  ["a few words over two rows", 14, 1, ["a few words o…"]],
  ["a few words over two rows and more", 14, 2, ["a few words", "over two rows…"]],
  ["one\ntwo\nthree", 14, 2, ["one", "two three"]],
  ["one\ntwo\nthree\nfour\nfive", 14, 2, ["one", "two three fou…"]],
])("%j fits %i columns and %i rows, or says that there is more", (text, columns, rows, lines) => {
  expect(over(text, columns, rows)).toEqual(lines);
});
