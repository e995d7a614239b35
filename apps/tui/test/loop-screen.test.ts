import { decide, type LiveEvent } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import { openedState, topScreen } from "../src/model/model.ts";
import { keysOf } from "../src/screens/bindings.ts";
import { screenOf } from "../src/screens/screens.ts";
import { looking, RECORDINGS, recording, type Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";
import { STATES } from "./support/states.ts";

/** Every key that is offered does what it says: the loop would not refuse the command that it sends. */
function requireKept({ model }: Told): void {
  const top = topScreen(model);
  const state = openedState(model);
  for (const binding of screenOf(top).bindings(top, model)) {
    const { effects = [] } = binding.run(model, { key: keysOf(binding, {})[0] ?? "", text: "" });
    for (const effect of effects) {
      if (effect.type !== "call" || effect.call.name !== "send" || !state) continue;
      const { command } = effect.call;
      expect(() => decide(state, command, state.updated_at), binding.id).not.toThrow();
    }
  }
}

function requirePlain({ model }: Told): void {
  const top = topScreen(model);
  const text = heard(model);
  expect(text).not.toMatch(/[╭╮╰╯│█░▁▂▃▄▅▆▇]/);
  // What the agent and the tests print stays as it is.
  if (top.kind === "loop") expect(text.split("\nAgent\n")[0]).not.toMatch(/[✔✖○▸‖]/);
  expect(text).not.toBe("");
}

describe.each(RECORDINGS)("the recorded loop %s", (name) => {
  it("fits every size at every moment, and offers no key that would be refused", () => {
    const events: LiveEvent[] = recording(name);
    const told = looking(events, SIZES[0], 1);
    const many = Math.ceil(events.length / 40);
    for (let at = 1; at < events.length; at += many) {
      told.tell({ type: "happened", id: "cart", events: events.slice(at, at + many), leftOut: 0 });
      for (const size of SIZES) {
        fittingFrame(told.tell({ type: "resized", size }).model);
        requireKept(told);
      }
      requirePlain(told);
    }
  });
});

describe.each(Object.entries(STATES))("a loop that is %s", (_, { make, says, keys, without }) => {
  it.each(SIZES)("fits $columns x $rows", async (size) => {
    const told = await make(size);
    fittingFrame(told.model);
    requireKept(told);
  });

  it("says what there is to know", async () => {
    const told = await make(SIZES[1]);
    const text = fittingFrame(told.model).join("\n");
    for (const part of says) expect(text).toContain(part);
    requirePlain(told);
  });

  it("has the keys for it", async () => {
    const { model } = await make(SIZES[1]);
    const top = topScreen(model);
    const labels = screenOf(top)
      .bindings(top, model)
      .map((binding) => `${keysOf(binding, {})[0]} ${binding.label}`);
    expect(labels).toEqual(expect.arrayContaining([...keys]));
    for (const label of without) expect(labels).not.toContain(label);
  });
});
