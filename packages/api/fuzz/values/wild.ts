import * as fc from "fast-check";

/** Texts that have broken programs before: names of prototypes, half characters, controls, long ones. */
export const strangeText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["__proto__", "constructor", "toString", "hasOwnProperty", "", " ", "null", "0", "-1"],
    ...["..", ".", "../../etc/passwd", "CON", "con.json", "a/b", "a\\b", "%2e%2e", "~", "$(id)"],
    ...["\u0000", "\u001b[31m", "\r\nX-Injected: 1", "\ud800", "\udc00x", "\ufeff", "\u202eabc"],
    ...["e\u0301", "\u{1f469}\u200d\u{1f680}", "<script>alert(1)</script>", "'; --", "{{7*7}}"],
    ...["1e309", "NaN", "2026-02-30T25:61:61Z", "9".repeat(400), "a,b", "*", '"', 'W/"x"'],
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.nat({ max: 20_000 }).map((length) => "ä".repeat(length)),
);

const deep = fc
  .tuple(fc.integer({ min: 1, max: 100_000 }), fc.boolean())
  .map(([depth, isList]) =>
    isList
      ? `${"[".repeat(depth)}${"]".repeat(depth)}`
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  );

const said = [
  ...["null", "true", "0", '""', "[]", "{}", "-0", "1e308", "1e999", "-1e999", "0.1e-400"],
  ...['{"__proto__":{"status":"completed"}}', '{"constructor":{"prototype":{"x":1}}}'],
  ...['{"title":"a","title":"b"}', '{"title":"\\ud800"}', '{"title":"\\u0000"}', '{"a":1e308}'],
  ...[
    "{",
    '{"title":',
    "[1,]",
    "{'a':1}",
    "NaN",
    "// no\n{}",
    "\ufeff{}",
    "\u0000",
    '{"a":1}{"b":2}',
  ],
];

/** Bodies that may be no JSON, no UTF-8, or nothing that anybody would send. */
export const wildBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...said).map(bytes) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 4 }).map(bytes) },
  { weight: 2, arbitrary: deep.map(bytes) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 2, arbitrary: fc.tuple(fc.json(), fc.nat()).map(([text, n]) => bytes(cut(text, n))) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 1_200_000 })
      .map((n) => bytes(`{"title":"${"x".repeat(n)}"}`)),
  },
);

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function cut(text: string, n: number): string {
  return text.slice(0, n % (text.length + 1));
}
