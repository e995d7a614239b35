import { Mode, type NewLoop } from "@ccw-loop/core";
import {
  durationInput,
  parseCount,
  parseDollars,
  parseDuration,
  SettingValues,
} from "@ccw-loop/view";
import { fieldOf } from "../../model/field.ts";
import type { Place } from "../../model/model.ts";
import { CREATE_FIELDS, type CreateFieldName, type CreateState } from "./state.ts";

/** A form before anything is typed: with what the configuration says. */
export function newForm({ defaults = {} }: Place): CreateState {
  const { max_iterations, limits = {}, settings = {} } = defaults;
  const { max_duration_ms, max_tokens, max_cost_usd } = limits;
  const texts: Partial<Record<CreateFieldName, unknown>> = {
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
  const fields = CREATE_FIELDS.map((name) => [name, fieldOf(String(texts[name] ?? ""))]);
  return {
    kind: "create",
    fields: Object.fromEntries(fields),
    focus: "task",
    touched: [],
    refused: null,
    busy: false,
  };
}

/** The loop that a form without problems describes. What nothing is typed for is left to the service. */
export function specOf({ fields }: CreateState, { defaults = {} }: Place): NewLoop {
  const text = (name: CreateFieldName) => fields[name].text.trim() || undefined;
  const read = <T>(name: CreateFieldName, parse: (text: string) => T) => {
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

/** Without what is undefined. */
function withoutUndefined<T extends object>(of: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const known = Object.entries(of).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
