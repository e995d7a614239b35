import { expect, test } from "vitest";
import { outputTail } from "../src/index.ts";

function keep(text: string, size: number): string {
  const kept = outputTail({ bytes: 64 * 1024, lines: 200 });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) kept.write(bytes.subarray(at, at + size));
  return kept.text();
}

test.each([1, 1000])("keeps a short output whole, %i bytes at a time", (size) => {
  expect(keep("one\r\ntwo\n\u001b[31mgrüß\u001b[0m\n", size)).toBe("one\ntwo\ngrüß\n");
  expect(keep("no end", size)).toBe("no end");
  expect(keep("", size)).toBe("");
});

test("keeps the last 200 lines", () => {
  const lines = keep(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(""), 64).split("\n");
  expect(lines).toHaveLength(201);
  expect(lines[0]).toBe("800");
});

test("keeps the last 64 KB of an endless line, without half a character in front", () => {
  const text = keep("ü".repeat(1_000_000), 999);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
  expect(text).toMatch(/^ü{32000,}$/);
});
