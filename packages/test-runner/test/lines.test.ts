import { expect, test } from "vitest";
import { LINE_KEPT, lineCutter } from "../src/stream-readers.ts";

function cut(text: string, size: number, limit?: (head: Buffer) => number): string[] {
  const found: string[] = [];
  const lines = lineCutter((line) => found.push(line.toString()), limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) lines.write(bytes.subarray(at, at + size));
  lines.end();
  return found;
}

test.each([1, 2, 3, 1000])("cuts at line ends of both kinds, %i bytes at a time", (size) => {
  expect(cut("one\ntwo\r\n\ngrüß\nlast", size)).toEqual(["one", "two", "", "grüß", "last"]);
  expect(cut("one\n", size)).toEqual(["one"]);
  expect(cut("", size)).toEqual([]);
});

test.each([1000, 10_000_000])(
  "keeps the beginning of a line without end, %i bytes at a time",
  (size) => {
    const [first, second] = cut(`${"x".repeat(5_000_000)}\nnext\n`, size);
    expect(first).toBe("x".repeat(LINE_KEPT));
    expect(second).toBe("next");
  },
);

test("keeps more of a line whose beginning earns it", () => {
  const limit = (head: Buffer) => (head.toString().startsWith("{") ? 100_000 : 0);
  expect(
    cut(`{${"x".repeat(200_000)}\ny${"x".repeat(200_000)}\n`, 999, limit).map((l) => l.length),
  ).toEqual([100_000, LINE_KEPT]);
});
