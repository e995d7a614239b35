import { LoopCommand, mintTaskId } from "@ccw-loop/core";
import { parseCount } from "@ccw-loop/view";
import type { Answer, Call } from "../../model/calls.ts";
import { type Model, openedState } from "../../model/model.ts";
import { withNotice, withoutScreen } from "../../model/stack.ts";
import type { Step } from "../screen.ts";
import { editOf } from "./limit.ts";
import type { PromptState } from "./state.ts";

type Sending = { call: Call } | { problem: string };

/** The call that a text is for; or what is wrong with the text. */
export function sendingOf({ purpose, field }: PromptState, model: Model): Sending {
  const text = field.text.trim();
  const { id } = purpose;
  switch (purpose.name) {
    case "add-task": {
      if (text === "") return { problem: "Say what is to be done." };
      const task = { id: newTaskId(text, model), description: text };
      return send(id, { type: "add_task", task });
    }
    case "edit-task": {
      if (text === "") return { problem: "Say what is to be done." };
      const { taskId: task_id } = purpose;
      return send(id, { type: "edit_task", task_id, changes: { description: text } });
    }
    case "import-tasks":
      if (text === "") return { problem: "Name the issue." };
      return { call: { name: "import", id, issue: text } };
    case "generate-tasks": {
      const count = text === "" ? undefined : parseCount(text);
      if (text !== "" && count === undefined) return { problem: "Use a whole number from 1 on." };
      return { call: { name: "generate", id, count } };
    }
    case "edit-limit": {
      const changes = editOf(text);
      if (typeof changes === "string") return { problem: changes };
      return send(id, { type: "edit", changes });
    }
  }
}

function send(id: string, command: unknown): Sending {
  const parsed = LoopCommand.safeParse(command);
  if (!parsed.success) return { problem: `${parsed.error.issues[0]?.message}.` };
  return { call: { name: "send", id, command: parsed.data } };
}

/** Not by chance, because a key has one outcome; another text, or another revision of the loop, gives another id. */
function newTaskId(text: string, model: Model): string {
  const of = `${text}#${openedState(model)?.revision ?? 0}`;
  let hash = 0x811c9dc5;
  for (const character of of) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return mintTaskId(new Date(model.now), hash.toString(16).padStart(8, "0"));
}

export function isAnswerTo({ sent }: PromptState, { call }: Answer): boolean {
  return sent !== undefined && JSON.stringify(call) === JSON.stringify(sent);
}

/** It was done: the prompt goes, and says what came of it. */
export function promptResult(
  { purpose }: PromptState,
  answer: Answer & { ok: true },
  of: Model,
): Step {
  const model = withoutScreen(of, "prompt");
  switch (answer.name) {
    case "import":
    case "generate": {
      const { length } = answer.value;
      const words = `Added ${length} ${length === 1 ? "task" : "tasks"}.`;
      return { model: withNotice(model, words, "good") };
    }
    case "send": {
      const open = answer.value.status !== "failed";
      const words =
        purpose.name === "edit-limit" && !open ? "Changed. Reopen it to go on." : "Done.";
      return { model: withNotice(model, words, "good") };
    }
    default:
      return { model };
  }
}
