import { ACCEPTED_FROM, type LoopCommand } from "@ccw-loop/core";
import type { Effect } from "../../model/effect.ts";
import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { ConfirmState } from "../confirm/state.ts";
import { stopConfirmation } from "../confirm/stopping.ts";
import type { Binding } from "../screen.ts";
import { type Entry, isDamaged } from "./order.ts";

/** What may be asked of the selected loop as it stands. */
export function loopBindings(entry: Entry, { driven, place }: Model): readonly Binding[] {
  const { id } = entry;
  const row = isDamaged(entry) ? undefined : entry;
  const { title = id, status } = row ?? {};
  const takes = (command: LoopCommand["type"]) =>
    status !== undefined && ACCEPTED_FROM[command].includes(status);
  const asks = row?.health === "waiting";
  const idle = status === "running" && place.drives && !driven.has(id) && !asks;
  const drives = takes("start") || takes("resume") || idle;
  const bindings: Binding[] = [];
  const add = (name: string, key: string, label: string, run: Binding["run"]) =>
    bindings.push({ id: `home.${name}`, keys: [key], label, group: "Loops", run });

  if (drives) {
    const label = status === "created" ? "start" : status === "running" ? "drive" : "resume";
    add("start", "s", label, (model) => ({ model, effects: [{ type: "drive", id }] }));
  }
  if (takes("pause")) {
    add("pause", "p", "pause", (model) => ({ model, effects: [sending(id, { type: "pause" })] }));
  }
  if (takes("stop")) {
    add("stop", "x", "stop", (model) => ({
      model: pushScreen(model, stopConfirmation({ id, title })),
    }));
  }
  if (status !== "running" && !driven.has(id)) {
    add("delete", "d", "delete", (model) => ({
      model: pushScreen(model, deleteConfirmation(id, title)),
    }));
  }
  return bindings;
}

function sending(id: string, command: LoopCommand): Effect {
  return { type: "call", call: { name: "send", id, command } };
}

function deleteConfirmation(id: string, title: string): ConfirmState {
  return {
    kind: "confirm",
    question: `Delete "${title}"?`,
    details: [
      "Its journal, receipts, logs, checkpoints and worktree are gone then, for good.",
      `Files that it changed in the project stay. Loop ${id}`,
    ],
    verb: "delete",
    yes: [{ type: "call", call: { name: "delete", id } }],
  };
}
