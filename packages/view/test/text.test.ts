import { describe, expect, test } from "vitest";
import {
  formatBytes,
  formatDuration,
  pad,
  painter,
  parseDuration,
  sanitizeJson,
  sanitizeLine,
  sanitizeText,
  table,
  truncateToWidth,
  widthOf,
} from "../src/index.ts";

describe("inertText", () => {
  test.each([
    ["colors", "\u001b[31mred\u001b[0m", "red"],
    ["a color with many parts", "\u001b[38;2;1;2;3mx", "x"],
    ["cursor and screen", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["a private mode", "\u001b[?1049hx\u001b[?25l", "x"],
    ["a title ended by BEL", "\u001b]0;evil\u0007ok", "ok"],
    ["a title ended by ST", "\u001b]2;evil\u001b\\ok", "ok"],
    ["a hyperlink", "\u001b]8;;http://evil\u0007click\u001b]8;;\u0007", "click"],
    ["a clipboard write", "\u001b]52;c;ZXZpbA==\u0007ok", "ok"],
    ["a title that never ends", "\u001b]0;evil\nnext line", "\nnext line"],
    ["a device string", "\u001bP1$r0m\u001b\\ok", "ok"],
    ["an application string", "\u001b_evil\u001b\\ok", "ok"],
    ["a charset switch", "\u001b(0lqk", "lqk"],
    ["a reset", "\u001bcok", "ok"],
    ["an escape at the end", "ok\u001b", "ok"],
    ["CSI in one byte", "\u009b31mred", "red"],
    ["OSC in one byte", "\u009d0;evil\u009cok", "ok"],
    ["bell and backspace", "a\u0007b\u0008c\u007f", "abc"],
    ["null and C1", "a\u0000b\u0085c\u0099d", "ab\ncd"],
    ["a carriage return that would overwrite", "safe\rEVIL", "safe\nEVIL"],
    ["Windows line ends", "a\r\nb", "a\nb"],
    ["other line breaks", "a\u2028b\u2029c\vd\fe", "a\nb\nc\nd\ne"],
    ["reordering marks", "user\u202Etxt.exe\u202C \u2066x\u2069 \u200Fy", "usertxt.exe x y"],
    ["a byte order mark", "\uFEFFa", "a"],
    ["half a character", "a\ud800b", "a\ufffdb"],
    ["tabs and line feeds stay", "a\tb\nc", "a\tb\nc"],
    ["joined emoji and accents stay", "👩‍👩‍👧 é ü 漢字", "👩‍👩‍👧 é ü 漢字"],
    ["plain brackets stay", "[31m and ]0;x", "[31m and ]0;x"],
  ])("makes %s harmless", (_, text, expected) => {
    expect(sanitizeText(text)).toBe(expected);
  });

  test("leaves nothing that a terminal obeys, in whatever pieces it comes", () => {
    const evil = "\u001b]0;a\u0007\u001b[31mb\u009b1mc\u001bPd\u001b\\e";
    for (let cut = 0; cut <= evil.length; cut++) {
      const shown = sanitizeText(evil.slice(0, cut)) + sanitizeText(evil.slice(cut));
      expect(shown).not.toMatch(/(?![\t\n])\p{Cc}/u);
    }
  });

  test("takes linear time", () => {
    const evil = "\u001b]".repeat(200_000) + "\u001b[0;".repeat(200_000);
    const begin = performance.now();
    expect(sanitizeText(evil)).not.toContain("\u001b");
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  test("inertLine puts everything on one line", () => {
    expect(sanitizeLine("  a\n\n  b\tc\r\nd \u001b[1m")).toBe("a b c d");
  });
});

test("inertJson says the same without a bare control character", () => {
  const evil = { text: "a\u001b[31m\u009b2J\u0085\u202e\ufeff\u2028漢\ttab\nline" };
  for (const json of [sanitizeJson(evil), sanitizeJson(evil, 2)]) {
    expect(JSON.parse(json)).toEqual(evil);
    expect(json).not.toMatch(/(?!\n)[\p{Cc}\u202e\ufeff\u2028]/u);
    expect(json).toContain("漢");
  }
});

describe("durations", () => {
  test.each([
    ["90s", 90_000],
    ["45m", 2_700_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["", undefined],
    ["0s", undefined],
    ["90", undefined],
    ["1.5h", undefined],
    ["-1h", undefined],
    ["2 h", undefined],
    ["2H", undefined],
    ["1h30m", undefined],
    ["9999999999s", undefined],
  ])("%j is %j milliseconds", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    [0, "0ms"],
    [850.4, "850ms"],
    [1234, "1.2s"],
    [9999, "9.9s"],
    [59_999, "59s"],
    [60_000, "1m"],
    [200_000, "3m 20s"],
    [7_500_000, "2h 5m"],
    [274_000_000, "3d 4h"],
  ])("%j ms reads %j", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [999.6, "1.0 kB"],
  [1234, "1.2 kB"],
  [9949, "9.9 kB"],
  [9960, "10 kB"],
  [999_499, "999 kB"],
  [999_500, "1.0 MB"],
  [34_200_000, "34 MB"],
  [2.5e15, "2500 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("paint styles, or leaves the text alone", () => {
  expect(painter(true)("good", "x")).toBe("\u001b[32mx\u001b[39m");
  expect(painter(true)("plain", "x")).toBe("x");
  expect(painter(false)("good", "x")).toBe("x");
});

describe("width", () => {
  test.each([
    ["short", 10, "short"],
    ["exactly", 7, "exactly"],
    ["too long", 5, "too …"],
    ["漢字漢字", 5, "漢字…"],
    ["漢字漢字", 4, "漢…"],
    ["a👩‍👩‍👧b", 3, "a…"],
    ["x", 0, ""],
  ])("clip(%j, %i) is %j", (text, width, expected) => {
    expect(truncateToWidth(text, width)).toBe(expected);
    expect(widthOf(expected)).toBeLessThanOrEqual(width);
  });

  test("pad counts wide characters twice", () => {
    expect(pad("漢", 4)).toBe("漢  ");
  });

  test("a table lines up, cuts its last column and shows no control character", () => {
    const rows = [
      { tone: "plain" as const, cells: ["漢字", "1", "first"] },
      { tone: "plain" as const, cells: ["b", "22", "second\u001b[31m\nline"] },
    ];
    const paint = painter(false);
    expect(table(["NAME", "N", "TEXT"], rows, { columns: 18, paint })).toEqual([
      "NAME  N   TEXT",
      "漢字  1   first",
      "b     22  second …",
    ]);
  });
});
