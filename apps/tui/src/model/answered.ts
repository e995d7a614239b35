import type { LoopState } from "@ccw-loop/core";
import type { Step } from "../screens/screen.ts";
import { screenOf } from "../screens/screens.ts";
import type { Answer } from "./calls.ts";
import type { Model } from "./model.ts";
import { withChanged, withListed } from "./rows.ts";
import { withNotice } from "./stack.ts";

/** What came of a call: the topmost screen that knows it says what it means; else it is told in one line. */
export function answered(before: Model, answer: Answer): Step {
  const model = { ...before, loops: loopsAfter(before, answer) };
  for (const state of model.stack.toReversed()) {
    const step = screenOf(state).answered?.(state, answer, model);
    if (step) return step;
  }
  if (!answer.ok) return { model: withNotice(model, answer.error.message, "bad") };
  const words = wordsFor(answer);
  return { model: words === undefined ? model : withNotice(model, words, "good") };
}

/** The list need not wait to hear of it. */
function loopsAfter({ loops }: Model, answer: Answer): Model["loops"] {
  if (!answer.ok) return loops;
  if (answer.name === "delete") return withChanged(loops, answer.call.id, null);
  const state = stateIn(answer);
  if (!state) return loops;
  if (!loops.rows.has(state.loop_id)) return withChanged(loops, state.loop_id, state);
  return withListed(loops, { ...loops, type: "listed", states: [state] });
}

function stateIn(answer: Answer & { ok: true }): LoopState | undefined {
  switch (answer.name) {
    case "create":
    case "send":
    case "fork":
      return answer.value;
    case "rewind":
      return answer.value.state;
    default:
      return undefined;
  }
}

function wordsFor(answer: Answer & { ok: true }): string | undefined {
  switch (answer.name) {
    case "delete":
      return `Loop ${answer.call.id} is deleted.`;
    case "copy":
      return "Copied, where this terminal lets programs write its clipboard.";
    case "save":
      return `Saved as ${answer.value}.`;
    case "rewind":
      return `Loop ${answer.call.id} is back at checkpoint ${answer.call.to}, paused.`;
    case "fork":
      return `Forked as ${answer.value.loop_id}.`;
    default:
      return undefined;
  }
}
