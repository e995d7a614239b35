import type { Step } from "../screens/screen.ts";
import type { Model } from "./model.ts";
import { pushed, topOf } from "./stack.ts";

/**
 * What leaving comes to: where this process drives loops it is asked first what becomes of them, and asked again it
 * leaves them running for whoever drives next.
 */
export function leaving(model: Model): Step {
  if (model.driven.size === 0) return { model, effects: [{ type: "quit", driven: "release" }] };
  if (topOf(model).kind === "quit")
    return { model, effects: [{ type: "quit", driven: "release" }] };
  return { model: pushed(model, { kind: "quit" }) };
}
