import type { DevelopTask } from "@ccw-loop/core";
import { emptyField, fieldOf } from "../../model/field.ts";
import { type Model, openedState } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { PromptState } from "../prompt/state.ts";
import type { Binding } from "../screen.ts";
import { shownTasks } from "./order.ts";
import { reordered } from "./reordering.ts";
import type { TasksState } from "./state.ts";

export function taskBindings(state: TasksState, model: Model): readonly Binding[] {
  const loop = openedState(model);
  if (loop === undefined) return [];
  const { id } = state;
  const tasks = shownTasks(state, loop);
  const at = Math.min(state.selected, tasks.length - 1);
  const task = tasks[at];
  const bindings: Binding[] = [asking("add", "a", "add", { name: "add-task", id })];
  if (task?.status === "pending") {
    const purpose = { name: "edit-task", id, taskId: task.id } as const;
    bindings.push(asking("edit", "e", "edit", purpose, task.description));
  }
  // The task that the running action works on is left alone.
  if (task !== undefined && (task.status !== "in_progress" || loop.action?.interrupted !== null)) {
    bindings.push(removing(id, task));
  }
  if (at < tasks.length - 1) bindings.push(moving(state, "later", ["J", "shift+down"], 1));
  if (at > 0) bindings.push(moving(state, "earlier", ["K", "shift+up"], -1));
  return [
    ...bindings,
    asking("import", "i", "import issue", { name: "import-tasks", id }),
    asking("generate", "A", "ask the agent", { name: "generate-tasks", id }),
  ];
}

function asking(
  name: string,
  key: string,
  label: string,
  purpose: PromptState["purpose"],
  text = "",
): Binding {
  const field = text === "" ? emptyField : fieldOf(text);
  return {
    id: `tasks.${name}`,
    keys: [key],
    label,
    run: (model) => ({
      model: pushScreen(model, { kind: "prompt", purpose, field, problem: null }),
    }),
  };
}

function removing(id: string, task: DevelopTask): Binding {
  const command = { type: "remove_task", task_id: task.id } as const;
  return {
    id: "tasks.remove",
    keys: ["d"],
    label: "remove",
    run: (model) => ({
      model: pushScreen(model, {
        kind: "confirm",
        question: "Remove this task?",
        details: [task.description, "Files that it changed stay."],
        verb: "remove",
        yes: [{ type: "call", call: { name: "send", id, command } }],
      }),
    }),
  };
}

function moving(state: TasksState, name: string, keys: readonly string[], by: 1 | -1): Binding {
  return { id: `tasks.${name}`, keys, label: name, run: (model) => reordered(state, model, by) };
}
