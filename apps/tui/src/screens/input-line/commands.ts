import { hash } from "node:crypto";
import {
  counted,
  LoopCommand,
  type LoopEdit,
  mintTaskId,
  ownTool,
  taskCommand,
  tasksOf,
} from "@ccw-loop/core";
import {
  COUNT_FORM,
  DOLLARS_FORM,
  DURATION_FORMS,
  parseCount,
  parseDollars,
  parseDuration,
} from "@ccw-loop/view";
import type { Answer, Call } from "../../model/effect.ts";
import { type Model, openedState, withNotice, withoutScreen } from "../../model/model.ts";
import type { Step } from "../../model/screen.ts";
import type { PromptState } from "../../model/screen-states.ts";

type Sending = { call: Call } | { problem: string };

/** The call that a text is for; or what is wrong with the text. */
export function sendingOf({ purpose, field }: PromptState, model: Model): Sending {
  const text = field.text.trim();
  const { id } = purpose;
  switch (purpose.name) {
    case "add-task": {
      if (text === "") return { problem: "Say what is to be done." };
      const task = { id: newTaskId(text, model), ...taskFields(text) };
      return send(id, { type: "add_task", task });
    }
    case "edit-task": {
      if (text === "") return { problem: "Say what is to be done." };
      const { taskId: task_id } = purpose;
      const changes = {
        ...(isCommand(model, task_id)
          ? { tool: ownTool(openedState(model) ?? {}), command: "" }
          : {}),
        ...taskFields(text),
      };
      return send(id, { type: "edit_task", task_id, changes });
    }
    case "import-tasks":
      if (text === "") return { problem: "Name the issue." };
      return { call: { name: "import", id, issue: text } };
    case "generate-tasks": {
      const count = text === "" ? undefined : parseCount(text);
      if (text !== "" && count === undefined) return { problem: "Use a whole number from 1 on." };
      return { call: { name: "generate", id, count } };
    }
    case "steer":
      if (text === "") return { problem: "Say what the agent is to know." };
      return { call: { name: "steer", id, text } };
    case "edit-limit": {
      const changes = editOf(text);
      if (typeof changes === "string") return { problem: changes };
      return send(id, { type: "edit", changes });
    }
  }
}

function isCommand(model: Model, id: string): boolean {
  const state = openedState(model);
  const task = state && tasksOf(state).find((one) => one.id === id);
  return task !== undefined && taskCommand(task) !== null;
}

/** Behind a `$` stands a command that is to be run. */
function taskFields(text: string) {
  const [, command] = /^\$\s+(.+)$/s.exec(text) ?? [];
  if (command === undefined) return { description: text };
  return { description: command, command, tool: "bash" as const };
}

function send(id: string, command: unknown): Sending {
  const parsed = LoopCommand.safeParse(command);
  if (!parsed.success) return { problem: `${parsed.error.issues[0]?.message}.` };
  return { call: { name: "send", id, command: parsed.data } };
}

/** Not by chance, because a key has one outcome; another text, or another revision of the loop, gives another id. */
function newTaskId(text: string, model: Model): string {
  const of = `${text}#${openedState(model)?.revision ?? 0}`;
  return mintTaskId(new Date(model.now), hash("sha256", of).slice(0, 8));
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
      const words = `Added ${counted(answer.value.length, "task")}.`;
      return { model: withNotice(model, words, "good") };
    }
    case "send": {
      const open = answer.value.status !== "failed";
      const words =
        purpose.name === "edit-limit" && !open ? "Changed. Reopen it to go on." : "Done.";
      return { model: withNotice(model, words, "good") };
    }
    case "steer":
      return { model: withNotice(model, "The agent was told.", "good") };
    default:
      return { model };
  }
}

/** The limits by name: what their amount looks like, how it is read, and the edit that it makes. */
const LIMITS: Readonly<Record<string, Limit>> = {
  iterations: [COUNT_FORM, parseCount, (max_iterations) => ({ max_iterations })],
  turns: [COUNT_FORM, parseCount, (max_turns) => ({ limits: { max_turns } })],
  tokens: [COUNT_FORM, parseCount, (max_tokens) => ({ limits: { max_tokens } })],
  stalled: [COUNT_FORM, parseCount, (max_stalled) => ({ limits: { max_stalled } })],
  time: [
    `a duration like ${DURATION_FORMS}`,
    parseDuration,
    (max_duration_ms) => ({ limits: { max_duration_ms } }),
  ],
  cost: [DOLLARS_FORM, parseDollars, (max_cost_usd) => ({ limits: { max_cost_usd } })],
};

type Limit = [
  form: string,
  parse: (amount: string) => number | undefined,
  edit: (n: number) => LoopEdit,
];

/** `iterations 20`, `time 6h`, … as an edit of a loop; else a sentence that says what is wrong. */
function editOf(text: string): LoopEdit | string {
  const [name = "", amount = "", ...rest] = text
    .trim()
    .toLowerCase()
    .split(/[\s=:]+/);
  const limit = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  if (limit === undefined) return `Begin with one of: ${Object.keys(LIMITS).join(", ")}.`;
  const [form, parse, edit] = limit;
  const n = rest.length > 0 ? undefined : parse(amount.replaceAll("_", ""));
  return n === undefined ? `Give ${name} ${form}.` : edit(n);
}
