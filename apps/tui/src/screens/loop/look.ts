import type { LoopState } from "@ccw-loop/core";
import { emptyField } from "../../model/field.ts";
import { pushScreen } from "../../model/stack.ts";
import { openReceipt } from "../receipt/open.ts";
import type { Binding } from "../screen.ts";
import { openTimeline } from "../timeline/open.ts";
import { openWhy } from "../why/open.ts";

/** Screens about the loop. */
export function lookBindings(state: LoopState): readonly Binding[] {
  const id = state.loop_id;
  const receipt: Binding = {
    id: "loop.receipt",
    keys: ["v"],
    label: "receipt",
    run: (model) => openReceipt(model, id),
  };
  return [
    { id: "loop.why", keys: ["w"], label: "why", run: (model) => openWhy(model, id) },
    ...((state.receipts ?? []).length > 0 ? [receipt] : []),
    {
      id: "loop.tasks",
      keys: ["t"],
      label: "tasks",
      run: (model) => ({ model: pushScreen(model, { kind: "tasks", id, selected: 0 }) }),
    },
    {
      id: "loop.timeline",
      keys: ["T"],
      label: "timeline",
      run: (model) => openTimeline(model, id),
    },
    {
      id: "loop.limit",
      keys: ["l"],
      label: "limits",
      run: (model) => ({
        model: pushScreen(model, {
          kind: "prompt",
          purpose: { name: "edit-limit", id },
          field: emptyField,
          problem: null,
        }),
      }),
    },
  ];
}
