import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutProbes } from "../src/actions/debug/instrumentation.ts";

const PROBE = "log(x); // ccw-probe";

test.each<[string, string, string | undefined, string]>([
  ["nothing to remove", "a\nb\n", "a\nb\n", "a\nb\n"],
  ["a line", `a\n${PROBE}\nb\n`, "a\nb\n", "a\nb\n"],
  ["a line, without the text as it was", `a\n${PROBE}\nb\n`, undefined, "a\nb\n"],
  ["the first and the last line", `${PROBE}\na\n${PROBE}`, undefined, "a\n"],
  ["a line behind a last one without an end", `a\n${PROBE}`, "a", "a"],
  ["lines that end as on Windows", `a\r\n${PROBE}\r\nb\r\n`, "a\r\nb\r\n", "a\r\nb\r\n"],
  [
    "only its own, where the text had some",
    `${PROBE}\na\n${PROBE}\n`,
    `${PROBE}\na\n`,
    `${PROBE}\na\n`,
  ],
  ["a line in the place of another one", `a\n${PROBE}\nc\n`, "a\nb\nc\n", "a\nb\nc\n"],
  ["and keeps what else was changed", `a\n${PROBE}\nB\n`, "a\nb\n", "a\nB\n"],
  ["and does not bring back what was deleted without it", `a\n${PROBE}\n`, "a\nb\nc\n", "a\n"],
  ["everything", `${PROBE}\n${PROBE}\n`, undefined, ""],
])("takes out %s", (_, text, before, clean) => {
  expect(withoutProbes(text, before)).toBe(clean);
});

test("whatever is put in, wherever, the text is as it was", () => {
  const line = fc.constantFrom("a", "", "  b", PROBE, "é\u0000", "x // ccw-prob");
  const file = fc.tuple(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.boolean());
  const places = fc.array(fc.tuple(fc.nat(20), fc.constantFrom(PROBE, "// other ccw-probe")));
  fc.assert(
    fc.property(file, places, ([lines, end, closed], inserted) => {
      const before = lines.join(end) + (closed && lines.length > 0 ? end : "");
      const parts = before === "" ? [] : before.split(/(?<=\n)/);
      for (const [at, text] of inserted) {
        const place = Math.min(at, parts.length);
        const last = parts[place - 1];
        if (last !== undefined && !last.endsWith("\n")) parts[place - 1] = `${last}${end}`;
        parts.splice(place, 0, `${text}${end}`);
      }
      expect(withoutProbes(parts.join(""), before)).toBe(before);
    }),
  );
});
