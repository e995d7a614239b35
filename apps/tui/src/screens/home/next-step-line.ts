import { blank, type Line, span } from "../../frame/line.ts";
import { shownKey } from "../../keys/key-name.ts";
import { keysOf } from "../../keys/lookup.ts";
import type { Model } from "../../model/model.ts";
import { NEW, NEXT } from "./keys.ts";
import { nextStep } from "./next-step.ts";

/** What to do next, and the key that does it. */
export function nextStepLine(model: Model): Line {
  const step = nextStep(model);
  if (step === undefined) return blank;
  const binding = { "home.new": NEW, "home.next": NEXT }[step.binding ?? "home.next"];
  const key = step.binding === null ? undefined : keysOf(binding, model.keys)[0];
  const pressed = key === undefined ? [] : [span(`${shownKey(key)} `, "name")];
  return [span(" → ", step.tone), ...pressed, span(step.text, step.tone)];
}
