import fc from "fast-check";
import { expect, test } from "vitest";
import { LoopState, parseChanged } from "../src/index.ts";
import { loopPair } from "./arbitrary-skill.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `a` with parts of `b` in it, at any depth; what `flip` keeps is the very same object. */
function mixed(a: unknown, b: unknown, flip: () => boolean): unknown {
  if (flip()) return a;
  if (Array.isArray(a) && Array.isArray(b)) {
    const longer = flip() ? b : a;
    return longer.map((one, i) => (i < a.length ? mixed(a[i], b[i] ?? one, flip) : one));
  }
  if (!isObject(a) || !isObject(b)) return b;
  const result: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (key in a && (flip() || !(key in b))) result[key] = a[key];
    else if (key in a) result[key] = mixed(a[key], b[key], flip);
    else if (flip()) result[key] = b[key];
  }
  return result;
}

const change = fc
  .tuple(loopPair, loopPair, fc.array(fc.boolean(), { minLength: 7, maxLength: 97 }))
  .map(([{ nasty: known }, { plain }, flips]) => {
    let i = 0;
    const flip = () => flips[i++ % flips.length] ?? true;
    return { known, next: mixed({ ...known }, { ...plain, unknown_field: { x: 1 } }, flip) };
  });

test("gives what a parse of the whole gives, in the same order", () => {
  fc.assert(
    fc.property(change, ({ known, next }) => {
      const whole = LoopState.safeParse(next);
      if (!whole.success) {
        expect(() => parseChanged(LoopState, next, known)).toThrow(whole.error.message);
        return;
      }
      const found = parseChanged(LoopState, next, known);
      expect(found).toEqual(whole.data);
      expect(JSON.stringify(found)).toBe(JSON.stringify(whole.data));
    }),
    { numRuns: 300 },
  );
});

const known = LoopState.parse({
  ...{ loop_id: "a", title: "A", status: "running", mine: { kept: true } },
  ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
  skill_state: { develop: { tasks: [{ id: "t", description: "d" }] } },
});
const skill = known.skill_state ?? expect.fail("There is skill.");

test.each([
  ["a wrong status", { ...known, status: "jumping" }],
  ["a missing title", { ...known, title: undefined }],
  ["a task without an id", { ...known, skill_state: { ...skill, develop: { tasks: [{}] } } }],
  ["tasks that are no list", { ...known, skill_state: { ...skill, develop: { tasks: {} } } }],
  ["no object", 7],
])("refuses %s as a parse of the whole does", (_, next) => {
  const { error } = LoopState.safeParse(next);
  expect(() => parseChanged(LoopState, next, known)).toThrow(error?.message);
});

test("fills in defaults, rewrites times, and lets no prototype in", () => {
  const next = JSON.parse(
    `{"loop_id":"a","title":"B","status":"running","created_at":"2026-01-01T08:00:00+08:00",
      "updated_at":"2026-01-02T00:00:00Z","__proto__":{"polluted":1},"skill_state":{}}`,
  );
  expect(JSON.stringify(parseChanged(LoopState, next, known))).toBe(
    JSON.stringify(LoopState.parse(next)),
  );
});

test("what did not change is not looked at again", () => {
  const next = { ...known, title: "B" };
  expect(parseChanged(LoopState, next, known).skill_state).toBe(known.skill_state);
});
