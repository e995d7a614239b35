import fc from "fast-check";
import { test } from "vitest";
import type { Size } from "../src/components/line.ts";
import { openedState, topScreen } from "../src/model/model.ts";
import type { Binding } from "../src/model/screen.ts";
import { GLOBAL_BINDINGS, keysOf } from "../src/screens/bindings.ts";
import { screenOf } from "../src/screens/screens.ts";
import { answerAll } from "./support/answers.ts";
import { listed } from "./support/listed.ts";
import { looking, RECORDINGS, recording, Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard } from "./support/seen.tsx";

const SMALL: Size = { columns: 60, rows: 16 };

/** Where a walk begins: at home, or at a loop as it stood at some time. */
const beginnings = fc.oneof(
  fc.constant(null),
  ...RECORDINGS.map((name) => {
    const events = recording(name);
    const waits = events.flatMap((event, at) =>
      event.kind === "recorded" && event.recorded.event.type === "waiting.started" ? [at + 1] : [],
    );
    const counts = fc.oneof(
      fc.integer({ min: 1, max: events.length }),
      fc.constantFrom(...waits, events.length),
    );
    return counts.map((count) => ({ name, count }));
  }),
);

/** A key by its number among those that mean something where it is pressed, or a text, or a size. */
const moves = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ nth: fc.nat(200), answered: fc.constantFrom(true, false, null) }),
  },
  { weight: 3, arbitrary: fc.record({ typed: fc.string({ unit: "grapheme", maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ pasted: fc.string({ unit: "binary", maxLength: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      size: fc.record({
        columns: fc.integer({ min: 1, max: 200 }),
        rows: fc.integer({ min: 1, max: 60 }),
      }),
    }),
  },
);

function bindingsOn({ model }: Told): Binding[] {
  const top = topScreen(model);
  return [...screenOf(top).bindings(top, model), ...GLOBAL_BINDINGS];
}

function begin(where: { name: (typeof RECORDINGS)[number]; count: number } | null): Told {
  if (where === null) return new Told(SMALL);
  const told = looking(recording(where.name), SMALL, where.count);
  const state = openedState(told.model);
  const states = state ? [state] : [];
  const damaged = [{ id: "broken", reason: "Its state is no JSON." }];
  told.tell(listed(states, { total: 1, damaged }));
  return told.tell({ type: "driving", ids: where.count % 2 === 0 ? ["cart"] : [] });
}

function move(told: Told, step: typeof moves extends fc.Arbitrary<infer M> ? M : never): void {
  if ("size" in step) told.tell({ type: "resized", size: step.size });
  else if ("pasted" in step) told.tell({ type: "pasted", text: step.pasted });
  else if ("typed" in step) told.type(step.typed);
  else {
    const keys = [
      ...bindingsOn(told).flatMap((binding) => keysOf(binding, told.model.keys)),
      "esc",
      "enter",
      "tab",
    ];
    told.press(keys[step.nth % keys.length] ?? "esc");
    if (step.answered !== null) answerAll(told, step.answered);
  }
}

test("whatever is pressed, nothing throws, and every frame has exactly the size of its terminal", () => {
  fc.assert(
    fc.property(beginnings, fc.array(moves, { maxLength: 40 }), (where, steps) => {
      const told = begin(where);
      for (const step of steps) {
        move(told, step);
        fittingFrame(told.model);
        heard(told.model);
      }
    }),
    { numRuns: 30 },
  );
});
