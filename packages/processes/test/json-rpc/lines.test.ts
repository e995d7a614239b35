import { expect, it, test } from "vitest";
import { lineReader } from "../../src/json-rpc/lines.ts";

const TEXT = '{"a":"Grüße 🎉"}\n\n{"b":"line\u2028separator\r"}\n{"c":1}';

/** The lines of a text that arrives in pieces of so many bytes. */
function linesOf(text: string, size: number, maxBytes?: number) {
  const lines: string[] = [];
  const dropped: number[] = [];
  const read = lineReader(
    (line) => lines.push(line),
    (bytes) => dropped.push(bytes),
    maxBytes,
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return { lines, dropped };
}

test.each([1, 2, 3, 7, 1000])("lines survive being cut every %s bytes", (size) => {
  expect(linesOf(`${TEXT}\n`, size).lines).toEqual(TEXT.split("\n").filter((l) => l !== ""));
});

it("a line is a line only when it is whole", () => {
  expect(linesOf(TEXT, 5).lines).toHaveLength(2);
});

it("a line of many megabytes stays whole", () => {
  const long = "x".repeat(5_000_000);
  expect(linesOf(`${long}\nshort\n`, 65_536).lines).toEqual([long, "short"]);
});

test.each([3, 8, 100])("a line above the bound is dropped, not the next (pieces of %s)", (size) => {
  const { lines, dropped } = linesOf("short\nmuch too long\nagain\n", size, 8);
  expect(lines).toEqual(["short", "again"]);
  expect(dropped).toEqual([13]);
});
