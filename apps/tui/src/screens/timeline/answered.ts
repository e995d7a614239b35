import { worktreeOf } from "@ccw-loop/view";
import type { Answer } from "../../model/calls.ts";
import type { Model } from "../../model/model.ts";
import { popScreen, pushScreen, replaceScreen, withNotice } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { forceConfirm } from "./going-back.ts";
import { askTimeline } from "./open.ts";
import type { TimelineState } from "./state.ts";

/** The entries, and what came of a rewind or a fork. */
export function answered(screen: TimelineState, answer: Answer, model: Model): Step | undefined {
  const { call } = answer;
  if (call.name === "timeline" && call.id === screen.id) return listed(screen, answer, model);
  if (call.name === "rewind" && call.id === screen.id) {
    if (!answer.ok) {
      const { code, message } = answer.error;
      if (code !== "workspace_changed" || call.force)
        return { model: withNotice(model, message, "bad") };
      return { model: pushScreen(model, forceConfirm(call.id, call.to, message)) };
    }
    if (answer.name !== "rewind") return undefined;
    const { kept, left } = answer.value;
    const restore = kept && `git restore --source=${kept.slice(0, 12)} -- PATH`;
    const stay = left.length > 0 ? ` ${left.length} changed from outside stay as they are.` : "";
    const where = restore ? `${stay} Files as they were before: ${restore}` : stay;
    return {
      model: withNotice(
        model,
        `Rewound to checkpoint ${call.to}; the loop is paused.${where}`,
        "good",
      ),
      effects: [askTimeline(screen.id)],
    };
  }
  if (call.name !== "fork" || call.id !== screen.id || !answer.ok || answer.name !== "fork") {
    return undefined;
  }
  const { loop_id, title } = answer.value;
  const { path } = worktreeOf(answer.value) ?? {};
  const place = path === undefined ? "" : ` It works in ${path}.`;
  return { model: withNotice(model, `Loop ${loop_id}, "${title}", is made.${place}`, "good") };
}

function listed(screen: TimelineState, answer: Answer, model: Model): Step | undefined {
  if (!answer.ok) return { model: withNotice(popScreen(model), answer.error.message, "bad") };
  if (answer.name !== "timeline") return undefined;
  const entries = answer.value;
  const last = Math.max(0, entries.length - 1);
  const selected = screen.entries === null ? last : Math.min(screen.selected, last);
  return { model: replaceScreen(model, { ...screen, entries, selected }) };
}
