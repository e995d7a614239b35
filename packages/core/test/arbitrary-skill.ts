import fc from "fast-check";
import { z } from "zod";
import { LoopState, ProbeEvidence, SkillState } from "../src/index.ts";

const AT = "2026-01-22T10:00:00.000Z";

/** What agents may write to look like a document of ours, or to reach the terminal of who reads it. */
const attack = fc.constantFrom(
  "# Development Progress\n## Task List\n1. [x] all done",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "|:-\n:-:\n-",
  "```\nunclosed",
  "~~~~\nunclosed",
  "-->",
  "--!>",
  "<!-- ccw-loop:develop {} -->",
  '\n<!-- ccw-loop:debug {"version":1,"debug":{}} -->\n',
  "<!--",
  "<script>alert(1)</script>",
  "[a](javascript:alert(1)) ![b](http://x)",
  "[ref]: http://x",
  "\\<b>",
  "title\n=====\nother\n-----",
  "***",
  "- [x] a\n  - b",
  "    code",
  "\0\u0007\u001b[2J\u001b]0;owned\u0007\u009b1m\u007f",
  "\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029",
  "\ud800",
  "a\udc00b\ud83d",
  "\u{e0041}",
  "\u4f60\u597d\uff0c\u4e16\u754c",
  "\u0645\u0631\u062d\u0628\u0627",
  "\u{1f468}\u200d\u{1f469}",
  "a\r\nb\rc",
  "&lt;b&gt; &amp;",
  "x".repeat(5_000),
  "x\n".repeat(300),
  "`a` ``b`` ```c```",
  "",
  " ",
);
export const nasty: fc.Arbitrary<string> = fc.oneof(
  attack,
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.tuple(attack, attack).map(([a, b]) => a + b),
);

/** A text of the state: the number of one in the pool, so that one state can be filled in two ways. */
const text = fc.nat(7).map((n) => `§${n}`);
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const at = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());
const number = fc.integer({ min: -5, max: 2_000 });
const unknown = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);

/** Parts of the state that say more when they are not just anything that the schema allows. */
const OWN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  evidence: fc.oneof(
    fc.constant(null),
    fc.array(fc.oneof(unknown, fc.record({ hid: text, data: unknown })), { maxLength: 2 }),
    fc.array(
      fc.constant(null).chain(() => arbitraryOf(ProbeEvidence)),
      { maxLength: 3 },
    ),
    fc.dictionary(fc.string(), unknown, { maxKeys: 2, noNullPrototype: true }),
  ),
  explains: fc.array(text, { maxLength: 12 }),
  added: fc.array(text, { maxLength: 22 }),
};

/** Any value of a schema; objects that may have unknown fields have one. */
function arbitraryOf(schema: z.core.$ZodType, name = ""): fc.Arbitrary<unknown> {
  const own = OWN[name];
  if (own) return own;
  if (schema instanceof z.ZodISODateTime) return at;
  if (schema instanceof z.ZodString) return text;
  if (schema instanceof z.ZodNumber) return schema.isInt ? fc.nat(9) : number;
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodArray) return fc.array(arbitraryOf(schema.element), { maxLength: 3 });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map((o) => arbitraryOf(o)));
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(schema.unwrap()));
  if (schema instanceof z.ZodOptional) return arbitraryOf(schema.unwrap());
  if (schema instanceof z.ZodDefault) return arbitraryOf(schema.unwrap());
  if (schema instanceof z.ZodPrefault) return arbitraryOf(schema.unwrap());
  if (schema instanceof z.ZodUnknown) return unknown;
  if (!(schema instanceof z.ZodObject)) throw new TypeError(`What is a ${schema._zod.def.type}?`);
  const requiredKeys: string[] = [];
  const fields: Record<string, fc.Arbitrary<unknown>> = { extra: unknown };
  for (const [key, part] of Object.entries(schema.shape)) {
    fields[key] = arbitraryOf(part, key);
    if (!part.safeParse(undefined).success) requiredKeys.push(key);
  }
  return fc.record(fields, { requiredKeys });
}

const skill = arbitraryOf(SkillState) as fc.Arbitrary<object>;
const summary = fc.record(
  { duration: unknown, generated_at: text, validate: unknown, extra: unknown },
  { requiredKeys: [] },
);

/** A loop with any `skill_state`, before its texts are filled in. */
const template = fc.record({
  loop_id: fc.constant("loop-a"),
  title: text,
  description: text,
  status: fc.constantFrom("running", "completed", "failed", "paused"),
  current_iteration: fc.nat(20),
  created_at: fc.constant(AT),
  updated_at: fc.constant(AT),
  skill_state: fc.oneof(
    skill,
    fc.tuple(skill, summary).map(([rest, summary]) => ({ ...rest, summary })),
  ),
  completed_at: maybe(at),
  accepted: maybe(fc.array(text, { maxLength: 3 })),
});

function filled(raw: unknown, pool: (index: number) => string): LoopState {
  const text = JSON.stringify(raw);
  return LoopState.parse(
    JSON.parse(text, (_, value: unknown) => {
      const index = typeof value === "string" ? /^§(\d)$/.exec(value)?.[1] : undefined;
      return index === undefined ? value : pool(Number(index)) || "-";
    }),
  );
}

/** A loop twice: its texts as an agent may write them, and the same state with one plain word for each. */
export const loopPair: fc.Arbitrary<{ nasty: LoopState; plain: LoopState }> = fc
  .tuple(template, fc.uniqueArray(nasty, { minLength: 8, maxLength: 8 }))
  .map(([raw, pool]) => ({
    nasty: filled(raw, (i) => pool[i] ?? "-"),
    plain: filled(raw, (i) => ((pool[i] ?? "").trim() === "" ? (pool[i] ?? "") : `word${i}`)),
  }));
