import type { Step } from "../screens/screen.ts";
import type { Model } from "./model.ts";
import { pushScreen, topScreen } from "./stack.ts";

/**
 * What leaving comes to: where this process drives loops it is asked first what becomes of them, and asked again it
 * leaves them running for whoever drives next. One that is over or paused is only waited for.
 */
export function requestQuit(model: Model): Step {
  if (topScreen(model).kind === "quit" || model.driven.size === 0)
    return { model, effects: [{ type: "quit", driven: "release" }] };
  if (drivenOn(model).length > 0) return { model: pushScreen(model, { kind: "quit" }) };
  return { model, effects: [{ type: "quit", driven: "pause" }] };
}

/** The loops that this process drives and that have not ended or paused. */
export function drivenOn({ driven, loops }: Model): string[] {
  const resting = new Set(["paused", "completed", "failed", "user_exit"]);
  return [...driven].filter((id) => !resting.has(loops.rows.get(id)?.status ?? "running"));
}
