import { Mode, type NewLoop, withoutUndefined } from "@ccw-loop/core";
import {
  COUNT_FORM,
  DOLLARS_FORM,
  durationInput,
  parseCount,
  parseDollars,
  parseDuration,
} from "../text/amounts.ts";
import { type AgentChoice, agentNameProblem } from "./agent-choice.ts";
import { SettingValues } from "./setting-values.ts";

/** In the order in which the form has them. */
export const NEW_LOOP_FIELDS = [
  "task",
  "title",
  "agent",
  "model",
  "verify",
  "mode",
  "max_iterations",
  "max_duration",
  "max_tokens",
  "max_cost",
  "tags",
  "worktree",
  "start",
] as const;
export type NewLoopField = (typeof NEW_LOOP_FIELDS)[number];

export type NewLoopTexts = Readonly<Record<NewLoopField, string>>;

/** What a new loop begins with unless its form says otherwise; nothing where the server decides. */
export type NewLoopDefaults = Pick<NewLoop, "max_iterations" | "limits" | "settings">;

/** The form before anything is typed: with what the configuration says. */
export function newLoopTexts(defaults: NewLoopDefaults = {}): NewLoopTexts {
  const { max_iterations, limits = {}, settings = {} } = defaults;
  const { max_duration_ms, max_tokens, max_cost_usd } = limits;
  const texts: Partial<Record<NewLoopField, unknown>> = {
    agent: settings.agent,
    model: settings.model,
    verify: settings.verify,
    mode: settings.mode ?? "interactive",
    max_iterations,
    max_duration: max_duration_ms && durationInput(max_duration_ms),
    max_tokens,
    max_cost: max_cost_usd,
    worktree: "no",
    start: "yes",
  };
  const entries = NEW_LOOP_FIELDS.map((name) => [name, String(texts[name] ?? "")]);
  return Object.fromEntries(entries);
}

/** The loop that a form without problems describes. What nothing is typed for is left to the service. */
export function newLoopOf(texts: NewLoopTexts, defaults: NewLoopDefaults = {}): NewLoop {
  const text = (name: NewLoopField) => texts[name].trim() || undefined;
  const read = <T>(name: NewLoopField, parse: (text: string) => T) => {
    const typed = text(name);
    return typed === undefined ? undefined : parse(typed);
  };
  return {
    description: text("task") ?? "",
    ...withoutUndefined({
      title: text("title"),
      max_iterations: read("max_iterations", (typed) =>
        SettingValues.shape.max_iterations.parse(typed),
      ),
      tags: read("tags", tagsIn),
      worktree: text("worktree") === "yes" ? true : undefined,
    }),
    limits: withoutUndefined({
      ...defaults.limits,
      max_duration_ms: read("max_duration", parseDuration),
      max_tokens: read("max_tokens", parseCount),
      max_cost_usd: read("max_cost", parseDollars),
    }),
    settings: withoutUndefined({
      ...defaults.settings,
      agent: text("agent"),
      model: text("model"),
      verify: text("verify"),
      mode: Mode.parse(text("mode")),
    }),
  };
}

function tagsIn(text: string): string[] | undefined {
  const tags = text.split(",").map((tag) => tag.trim());
  const named = [...new Set(tags)].filter((tag) => tag !== "");
  return named.length > 0 ? named : undefined;
}

export interface FieldKind {
  label: string;
  /** Shown where nothing is typed. */
  hint: string;
  /** What it means, in a sentence, while it has the keys. */
  about: string;
  /** What it may be, for one that is chosen and not typed. */
  choices?: readonly [string, string];
  /** What is wrong with a text that is not empty, as the end of a sentence that begins with what it is. */
  check?: (text: string) => string | undefined;
}

export const NEW_LOOP_FORM: Readonly<Record<NewLoopField, FieldKind>> = {
  task: {
    label: "Task",
    hint: "what the loop is to do",
    about: "What the agent is to do. It may be empty where a title says it all.",
  },
  title: { label: "Title", hint: "the beginning of the task", about: "What lists call the loop." },
  agent: {
    label: "Agent",
    hint: "codex",
    about: "One of those that the server knows; without a name the configured one, else codex.",
    check: (text) => setting("agent", text),
  },
  model: {
    label: "Model",
    hint: "the agent's own choice",
    about: "The model that the agent uses.",
  },
  verify: {
    label: "Test command",
    hint: "found out",
    about:
      "The command whose passing tests prove the work; found out from the project without one.",
  },
  mode: {
    label: "Mode",
    hint: "",
    about: "interactive: you choose each action at a menu. auto: the rules choose.",
    choices: ["interactive", "auto"],
  },
  max_iterations: {
    label: "Iterations",
    hint: "10",
    about: "DEVELOP, DEBUG and VALIDATE actions at most; 10 without a number.",
    check: (text) => setting("max_iterations", text),
  },
  max_duration: {
    label: "Time",
    hint: "4h of work",
    about: "Work at most this long, pauses not counted; 4h without a time.",
    check: (text) => setting("max_duration", text),
  },
  max_tokens: {
    label: "Tokens",
    hint: "20 million",
    about: "Tokens that the agent may use; 20 million without a number.",
    check: (text) => (parseCount(text) === undefined ? `use ${COUNT_FORM}` : undefined),
  },
  max_cost: {
    label: "Cost in $",
    hint: "no bound",
    about: "US dollars that the agent may spend, where it tells what it costs.",
    check: (text) => (parseDollars(text) === undefined ? `use ${DOLLARS_FORM}` : undefined),
  },
  tags: { label: "Tags", hint: "words with commas between them", about: "To find it again." },
  worktree: {
    label: "Own worktree",
    hint: "",
    about: "A worktree and a branch of its own, so that your files stay as they are; needs git.",
    choices: ["no", "yes"],
  },
  start: {
    label: "Start at once",
    hint: "",
    about: "Or make it only, and start it later.",
    choices: ["yes", "no"],
  },
};

function setting(key: keyof SettingValues, text: string): string | undefined {
  return SettingValues.shape[key].safeParse(text).error?.issues[0]?.message;
}

/** What is wrong with a field, as a sentence; undefined for one that is fine. `agents`: those that there are, where that is known. */
export function fieldProblem(
  texts: NewLoopTexts,
  name: NewLoopField,
  agents: readonly AgentChoice[] | null,
): string | undefined {
  const text = texts[name].trim();
  if (name === "task" && text === "" && texts.title.trim() === "") {
    return "Say what the loop is to do.";
  }
  if (text === "") return undefined;
  const unknown = name === "agent" && agents ? agentNameProblem(text, agents) : undefined;
  const problem = NEW_LOOP_FORM[name].check?.(text) ?? unknown;
  return problem && `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}
