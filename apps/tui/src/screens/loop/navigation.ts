import type { LoopState } from "@ccw-loop/core";
import { calling } from "../../model/effect.ts";
import { type Model, pushScreen } from "../../model/model.ts";
import type { Binding, Step } from "../../model/screen.ts";
import { loopScreenAt, promptFor } from "../../model/screen-states.ts";
import { opening } from "../bindings.ts";
import { openTimeline } from "../timeline.tsx";
import { openWhy } from "../why.ts";
import { withQuestion } from "./control.ts";

/** Shows a loop and follows it from now on. Looking starts nothing. */
export function openLoop(model: Model, id: string): Step {
  const shown = pushScreen(model, loopScreenAt(id));
  const why = calling({ name: "why", id });
  if (model.opened?.id !== id) return { model: shown, effects: [{ type: "follow", id }, why] };
  // What stood beside the list is followed already; what it asks was not shown there.
  return { model: withQuestion({ ...model, opened: null }, shown), effects: [why] };
}

/** Screens about the loop. */
export function lookBindings(state: LoopState): readonly Binding[] {
  const id = state.loop_id;
  const receipt: Binding = {
    id: "loop.receipt",
    label: "receipt",
    run: opening({ kind: "receipt", id, check: null, scroll: 0 }),
  };
  return [
    { id: "loop.why", label: "why", run: openWhy(id) },
    ...((state.receipts ?? []).length > 0 ? [receipt] : []),
    { id: "loop.tasks", label: "tasks", run: opening({ kind: "tasks", id, selected: 0 }) },
    { id: "loop.timeline", label: "timeline", run: openTimeline(id) },
    { id: "loop.limit", label: "limits", run: opening(promptFor({ name: "edit-limit", id })) },
  ];
}
